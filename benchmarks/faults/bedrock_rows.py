"""Faults of Amazon Bedrock, through botocore's own HTTP."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from functools import partial
from time import time

from benchmarks.faults.good import (
    ANSWER,
    FIRST,
    PLACES,
    Place,
    Row,
    Terms,
    bedrock_good,
    bedrock_place,
)
from research_agent.model_settings import ModelSettings, RoleSettings
from tests.converse import (
    CLOSED,
    HANGING,
    Asked,
    Json,
    Raw,
    Script,
    bedrock,
    dripped,
    error_reply,
    text_reply,
)

Fault = Callable[[], Script]
BEDROCK_MODEL = "amazon.nova-lite-v1:0"
REGION = {"AWS_REGION": "us-east-1"}
WHOLE = json.dumps(text_reply(ANSWER)).encode()


def always(reply: Json | Raw) -> Fault:
    """Return a server that knows this one reply."""
    return lambda: lambda _: reply


def once(make: Callable[[], Json | Raw]) -> Fault:
    """Return a server that is good from the second request on."""

    def fault() -> Script:
        left = [make()]
        return lambda asked: left.pop() if left else bedrock_good(asked)

    return fault


def _refused(code: str, status: int, message: str = "SECRET") -> Raw:
    return error_reply(code, status, message)


def _busy(after: str) -> Raw:
    return error_reply("ThrottlingException", 429, "SECRET", {"Retry-After": after})


FAULTS: Mapping[str, Fault] = {
    "no fault": lambda: bedrock_good,
    "throttled, Retry-After in seconds": once(lambda: _busy("1")),
    "throttled, Retry-After as a date": once(lambda: _busy(formatdate(time() + 2, usegmt=True))),
    "throttled, Retry-After of a day": always(_busy("86400")),
    "500 once": once(lambda: _refused("InternalServerException", 500)),
    "500 for ever": always(_refused("InternalServerException", 500)),
    "503 for ever": always(_refused("ServiceUnavailableException", 503)),
    "closed without a reply": always(CLOSED),
    "hang before the headers": always(HANGING),
    "hang within the body": always(Raw(body=WHOLE, hang_at=20)),
    "body dripped": always(dripped(text_reply(ANSWER), 0.03)),
    "body cut": always(Raw(body=WHOLE, cut_at=len(WHOLE) // 2)),
    "body cut once": once(lambda: Raw(body=WHOLE, cut_at=len(WHOLE) // 2)),
    "2 MB reply": always(text_reply("a" * 2_000_000)),
    "HTML": always(Raw(body=b"<html>SECRET</html>", headers={"Content-Type": "text/html"})),
    "invalid JSON": always(Raw(body=WHOLE[:40])),
    "null": always(Raw(body=b"null")),
    "no output": always({}),
    "empty content": always(text_reply("")),
    "no reason to stop": always({**text_reply(FIRST), "stopReason": None}),
    "guardrail": always(text_reply(FIRST, stop="guardrail_intervened")),
    "reply cut at its token limit": always(text_reply(FIRST, stop="max_tokens")),
    "context overflow": always(_refused("ValidationException", 400, "Input is too long: SECRET")),
    "unknown model": always(
        _refused("ValidationException", 400, "The provided model identifier is invalid. SECRET")
    ),
    "expired credentials": always(_refused("ExpiredTokenException", 403)),
    "no access to the model": always(_refused("AccessDeniedException", 403)),
}
ASKED_FOR: Mapping[str, tuple[Place, ...]] = {
    "no fault": ("all",),
    "reply cut at its token limit": ("answer",),
}
"""Faults that only some calls can meet."""


def rows() -> tuple[Row, ...]:
    """Return each fault for all calls and for each call alone."""
    return tuple(
        Row(
            provider="bedrock",
            fault=name,
            place=place,
            opened=partial(_opened, fault, place),
            environment=REGION,
            named_by="nothing" if name == "no fault" else "warning",
        )
        for name, fault in FAULTS.items()
        for place in ASKED_FOR.get(name, PLACES)
    )


def bedrock_settings(url: str, timeout: float) -> ModelSettings:
    """Return settings for a server on this machine that stands for Bedrock."""
    chat = RoleSettings(provider="bedrock", model=BEDROCK_MODEL, base_url=url)
    return ModelSettings(chat=chat, timeout=timeout)


@contextmanager
def _opened(fault: Fault, place: Place, terms: Terms) -> Iterator[ModelSettings]:
    faulty = fault()

    def script(asked: Asked) -> Json | Raw:
        return (faulty if place in ("all", bedrock_place(asked)) else bedrock_good)(asked)

    with bedrock(script) as running:
        yield bedrock_settings(running.url, terms.timeout)
