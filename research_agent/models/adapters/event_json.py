"""Events as JSON values and lines, and back."""

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from research_agent.types.events import Event
from research_agent.types.old_results import upgraded

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON values; its kind is under "event".

    >>> from research_agent.types.events import Asked
    >>> event_json(Asked(question="Why?"))
    {'event': 'asked', 'at': 0.0, 'round': 0, 'question': 'Why?'}
    """
    from pydantic_core import to_jsonable_python

    made: dict[str, Any] = to_jsonable_python(event, inf_nan_mode="null")
    return made


def event_line(event: Event) -> str:
    """Return an event as one line of JSON in ASCII, without the line's end."""
    return json.dumps(event_json(event), allow_nan=False)


def read_event(made: Mapping[str, Any]) -> Event:
    """Return the event that `event_json` gave; raises ValueError where it is none.

    Those of earlier versions are read too.

    >>> read_event({"event": "asked", "question": "Why?"}).question
    'Why?'
    """
    return _codec().validate_python(upgraded(made))


@cache
def _codec() -> "TypeAdapter[Event]":
    from typing import Annotated

    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="event")])
