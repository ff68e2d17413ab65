"""Traces: keys of their lines, addresses without passwords, and states rebuilt from steps."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from research_agent.types import TraceEvent

FORMAT = 1
"""The version of the format of traces."""
_USER = re.compile(r"(?<=://)[^/@\s]+@")


def without_passwords(text: str) -> str:
    """Return an address without the user and password in it.

    >>> without_passwords("https://me:secret@models.example/v1")
    'https://models.example/v1'
    """
    return _USER.sub("", text)


def vector_key(model: str, text: str) -> str:
    """Return the key of a text's vector."""
    return sha256(f"{model}\0{text}".encode()).hexdigest()


def scores_key(query: str, texts: Sequence[str]) -> str:
    """Return the key of a reranker's scores."""
    return sha256(json.dumps([query, *texts]).encode()).hexdigest()


def merged_state(
    before: Mapping[str, object], written: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the state, as JSON values, after a step has `written` to it.

    The trace grows; one that begins with what is there takes its place, as that of the search.

    >>> merged_state({"rounds": 1, "trace": ["a"]}, {"rounds": 2, "trace": ["b"]})
    {'rounds': 2, 'trace': ['a', 'b']}
    """
    after = {**before, **written}
    old, new = before.get("trace", []), written.get("trace", [])
    if isinstance(old, list) and isinstance(new, list):
        after["trace"] = new if new[: len(old)] == old else [*old, *new]
    return after


def ending_at(trace: Sequence[TraceEvent], now: float) -> tuple[TraceEvent, ...]:
    """Return a trace of another process as if its last event had ended `now`, on this clock."""
    last = max((event.started + event.seconds for event in trace), default=0.0)
    return tuple(replace(event, started=event.started + now - last) for event in trace)
