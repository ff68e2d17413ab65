"""Faults of Amazon Bedrock, through botocore's own HTTP."""

import json
from collections.abc import Iterator, Mapping
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
    met,
)
from research_agent.model_settings import ModelSettings, RoleSettings
from tests.converse import bedrock, error_reply, text_reply
from tests.loopback import CLOSED, Raw, Script
from tests.loopback_faults import HTML, Fault, always, dripped, hang, once, sized, writing, written

BEDROCK_MODEL = "amazon.nova-lite-v1:0"
REGION = {"AWS_REGION": "us-east-1"}
WHOLE = json.dumps(text_reply(ANSWER)).encode()
HALF = WHOLE[: len(WHOLE) // 2]


def _refused(code: str, status: int, message: str = "SECRET") -> Raw:
    return error_reply(code, status, message)


def _busy(after: str) -> Raw:
    return error_reply("ThrottlingException", 429, "SECRET", {"Retry-After": after})


def _later(good: Script) -> Script:
    return once(_busy(formatdate(time() + 2, usegmt=True)))(good)


FAULTS: Mapping[str, Fault] = {
    "no fault": lambda good: good,
    "throttled, Retry-After in seconds": once(_busy("1")),
    "throttled, Retry-After as a date": _later,
    "throttled, Retry-After of a day": always(_busy("86400")),
    "500 once": once(_refused("InternalServerException", 500)),
    "500 for ever": always(_refused("InternalServerException", 500)),
    "503 for ever": always(_refused("ServiceUnavailableException", 503)),
    "closed without a reply": always(CLOSED),
    "hang before the headers": hang(),
    "hang within the body": hang(sized(WHOLE), WHOLE[:20]),
    "body dripped": dripped(sized(WHOLE), WHOLE),
    "body cut": written(sized(WHOLE), HALF),
    "body cut once": once(writing(sized(WHOLE), HALF)),
    "2 MB reply": always(text_reply("a" * 2_000_000)),
    "HTML": always(HTML),
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
    with bedrock(met(fault, place, bedrock_good, bedrock_place)) as running:
        yield bedrock_settings(running.url, terms.timeout)
