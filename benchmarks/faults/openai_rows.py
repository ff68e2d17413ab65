"""Faults of a server that speaks OpenAI's protocol."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Event

from benchmarks.faults.good import (
    ANSWER,
    FIRST,
    KEY,
    PLACES,
    NamedBy,
    Place,
    Row,
    Terms,
    good,
    met,
    place_of,
    served,
)
from research_agent.model_settings import ModelSettings
from tests.loopback import CLOSED, Json, Raw, Reply, Script, error_reply, server, text_reply
from tests.loopback_faults import FAULTS, Fault, always, busy, hang, once, sized, writing, written

ENVIRONMENT = {"FAULTS_KEY": KEY}
WHOLE = json.dumps(text_reply(ANSWER)).encode()
HALF = sized(WHOLE) + WHOLE[: len(WHOLE) // 2]

MORE: Mapping[str, Fault] = {
    "plain body cut": written(HALF),
    "plain body cut once": once(writing(HALF)),
    "hang within a plain body": hang(HALF),
    "reply cut at its token limit": always(text_reply(FIRST, finish_reason="length")),
    "content filter": always(text_reply(FIRST, finish_reason="content_filter")),
    "503 with Retry-After": once(Raw(503, headers={"Retry-After": "1"})),
    "429 without Retry-After, for ever": always(error_reply(429, "SECRET")),
    "429, Retry-After that is none": always(busy("tomorrow")),
    "nothing left to spend": always(error_reply(429, "SECRET", code="insufficient_quota")),
    "key may not": always(error_reply(403, "SECRET")),
}
"""Beside the faults of the adapter's own tests."""
ASKED_FOR: Mapping[str, tuple[Place, ...]] = {
    "no fault": ("all",),
    "plain body cut once": ("all", "planner", "verifier"),
    "log-probabilities refused": ("all", "answer"),
    "reply cut at its token limit": ("all", "answer"),
}
"""Faults that only some calls can meet."""
NAMED_BY: Mapping[str, NamedBy] = {
    "no fault": "nothing",
    "log-probabilities refused": "uncertainty",
}


def rows() -> tuple[Row, ...]:
    """Return each fault for all calls and for each call alone, and a server that dies."""
    single = [
        Row(
            provider="openai",
            fault=name,
            place=place,
            opened=partial(_opened, fault, place),
            environment=ENVIRONMENT,
            named_by=NAMED_BY.get(name, "warning"),
        )
        for name, fault in {"no fault": _none, **FAULTS, **MORE}.items()
        for place in ASKED_FOR.get(name, PLACES)
    ]
    dying = [
        Row(
            provider="openai",
            fault="server dies after its reply to the planner"
            if place == "planner"
            else "server dies after the answer",
            opened=partial(_dying, place),
            environment=ENVIRONMENT,
        )
        for place in ("planner", "answer")
    ]
    return (*single, *dying)


def _none(script: Script) -> Script:
    return script


@contextmanager
def _opened(fault: Fault, place: Place, terms: Terms) -> Iterator[ModelSettings]:
    with server(met(fault, place, good, place_of), key=KEY) as url:
        yield served(url, terms.timeout)


@contextmanager
def _dying(last: Place, terms: Terms) -> Iterator[ModelSettings]:
    """Serve until the `last` call was answered, and from then on nobody.

    The client waits long for that answer: who gives up on a busy machine finds no server.
    """
    dead = Event()

    def script(given: Json) -> Reply:
        if dead.is_set():
            return CLOSED
        if place_of(given) == last:
            dead.set()
        return good(given)

    with server(script, key=KEY) as url:
        yield served(url, terms.seconds / 2)
