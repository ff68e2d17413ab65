"""Numbers of paragraphs in DOCX files, as Word shows them: `2.1`, `(a)`, `iv.`."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from research_agent.documents.list_numbers import shown_number

LEVELS = 9
"""Levels of a list, as the format has them."""
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PLACE = re.compile(r"%([1-9])")
_Element = Any  # of lxml, which ships no types


class Level(NamedTuple):
    """How a level of a list is counted and written."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    """Such as `%1.%2`: the numbers of the levels so far."""


class Numbers:
    """Counts the paragraphs of a document's lists."""

    def __init__(self, numbering: _Element) -> None:
        """Read the lists of a numbering part; None: the document has none."""
        lists = [] if numbering is None else list(numbering.iterchildren(f"{_W}abstractNum"))
        styles = {style: one for one in lists if (style := value(one, "styleLink"))}
        kinds = {
            str(one.get(f"{_W}abstractNumId")): _levels(styles.get(value(one, "numStyleLink"), one))
            for one in lists
        }
        self._lists: dict[str, tuple[str, Mapping[int, Level]]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        for number in () if numbering is None else numbering.iterchildren(f"{_W}num"):
            name, kind = str(number.get(f"{_W}numId")), value(number, "abstractNumId")
            levels = dict(kinds.get(kind, {}))
            for own in number.iterchildren(f"{_W}lvlOverride"):
                levels |= _levels(own)
                if (start := value(own, "startOverride")).isdecimal():
                    self._restarts.setdefault(name, {})[_number(own.get(f"{_W}ilvl"))] = int(start)
            self._lists[name] = (kind, levels)
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def next(self, name: str, level: int) -> str:
        """Return the mark of the next paragraph of a list at a level from 0; "-" for a bullet.

        A list that is not known is counted with plain numbers.
        """
        kind, levels = self._lists.get(name, (name, {}))
        own, counts = levels.get(level, Level()), self._counts[kind]
        if (restart := self._restarts.get(name, {}).pop(level, None)) is not None:
            counts[level] = restart - 1
        counts[level] = counts.get(level, own.start - 1) + 1
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        if own.form in ("bullet", "none"):
            return "-"

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            above = levels.get(at, Level())
            return shown_number(counts.get(at, above.start), above.form)

        return _PLACE.sub(shown, own.text or f"%{level + 1}.")


def value(element: _Element, path: str) -> str:
    """Return the `val` of an element below another; empty where there is none."""
    if element is None:
        return ""
    found = element.find("/".join(_W + name for name in path.split("/")))
    return "" if found is None else str(found.get(f"{_W}val") or "")


def _levels(element: _Element) -> dict[int, Level]:
    levels = {}
    for level in element.iterchildren(f"{_W}lvl"):
        start, form = value(level, "start"), value(level, "numFmt") or "decimal"
        at = _number(level.get(f"{_W}ilvl"))
        levels[at] = Level(int(start) if start.isdecimal() else 1, form, value(level, "lvlText"))
    return levels


def _number(text: object) -> int:
    return min(int(str(text)), LEVELS - 1) if str(text).isdecimal() else 0
