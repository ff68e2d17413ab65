"""Events of a YAML document -> plain values, so that nothing in a file can make it explode.

Aliases are shared and their size is counted; tags are not obeyed; numbers and dates stay the text
they are, as in YAML 1.2 only `true` and `false` are truth values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import yaml

from research_agent.documents.adapters.openapi.json_text import DEEPEST, MEND, too_deep
from research_agent.errors import DocumentError

MOST_REPEATED = 1_000_000
"""Values that aliases may stand for; more is a bomb."""

CHARS_A_VALUE = 32
"""A text counts as one value more for so many characters."""

_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MERGE = "<<"


class _Mark(Protocol):
    """A place in a text, counted from 0."""

    line: int
    column: int


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet."""

    value: dict[str, object] | list[object]
    anchor: str | None
    size: int = 1
    key: str | None = None
    merged: list[object] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for."""

    value: object
    size: int


class Builder:
    """Puts values together from events."""

    def __init__(self) -> None:
        """Begin with nothing; `result` holds the values once `done` is true."""
        self.result: object = None
        self.done = False
        self.twice: list[str] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._repeated = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event of the document."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._end(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        value: object = event.value
        is_key = self._awaits_key()
        if not is_key and event.implicit[0]:
            value = _WORDS.get(event.value, value)
        size = 1 + len(event.value) // CHARS_A_VALUE
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, size)
        self._add(value, size, event)

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        if self._awaits_key():
            raise DocumentError(f"a key is no plain text{where(event.start_mark)}", hint=MEND)
        if len(self._open) >= DEEPEST:
            raise too_deep(where(event.start_mark))
        if event.anchor:
            self._anchors[event.anchor] = None
        made: dict[str, object] | list[object]
        made = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._open.append(_Open(made, event.anchor))

    def _end(self, event: yaml.Event) -> None:
        ended = self._open.pop()
        if isinstance(ended.value, dict):
            for held in _mappings(ended.merged):
                for key, value in held.items():
                    ended.value.setdefault(key, value)
        if ended.anchor:
            self._anchors[ended.anchor] = _Anchored(ended.value, ended.size)
        self._add(ended.value, ended.size, event)

    def _alias(self, event: yaml.AliasEvent) -> None:
        found = self._anchors.get(event.anchor or "")
        if found is None:
            inside = event.anchor in self._anchors
            fault = "stands for what it is in" if inside else "stands for nothing"
            place = where(event.start_mark)
            raise DocumentError(f"the alias *{event.anchor} {fault}{place}", hint=MEND)
        self._repeated += found.size
        if self._repeated > MOST_REPEATED:
            raise DocumentError(
                f"its aliases stand for more than {MOST_REPEATED:,} values"
                f"{where(event.start_mark)}",
                hint="write out what is meant, or leave the file out with documents.exclude",
            )
        value = found.value
        if self._awaits_key() and not isinstance(value, str):
            raise DocumentError(f"a key is no plain text{where(event.start_mark)}", hint=MEND)
        self._add(value, found.size, event)

    def _awaits_key(self) -> bool:
        if not self._open:
            return False
        top = self._open[-1]
        return isinstance(top.value, dict) and top.key is None

    def _add(self, value: object, size: int, event: yaml.Event) -> None:
        """Put a finished value where it belongs."""
        if not self._open:
            self.result, self.done = value, True
            return
        top = self._open[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            top.key = str(value)
            if top.key in top.value:
                self.twice.append(f"{top.key} in line {_line(event)}")
        else:
            if top.key == _MERGE:
                top.merged.append(value)
            else:
                top.value[top.key] = value
            top.key = None


def _mappings(values: list[object]) -> Iterator[dict[str, object]]:
    """Yield the mappings that a merge key names, itself or in a list."""
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield one


def where(mark: _Mark | None) -> str:
    """Return line and column of a place in the text, both counted from 1."""
    if mark is None:
        return ""
    return f" (line {mark.line + 1}, column {mark.column + 1})"


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0
