"""Which headings a document's outline (its bookmarks) puts above each line."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from research_agent.documents.layout.headings import (
    Found,
    Place,
    is_larger,
    number_of,
    text_headings,
)
from research_agent.documents.layout.rows import Row

PREFIX = 12  # letters by which a heading that is broken over two lines is known
SKIPPED = 1  # headings of one section that may be missed without losing the next

_NUMBER = re.compile(
    r"^(?:appendix\s+)?[A-Z]?[\d.]*\d[.)]?(?=\s)|^appendix\s+[A-Z][.:]?(?=\s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bookmark: its depth from 0, its title, and where it leads."""

    level: int
    title: str
    page: int | None  # counted from 0; None leads nowhere: then its title tells where it begins
    top: float | None = None  # height on the page, in points; None leads to the page's top
    left: float | None = None


def row_sections(
    entries: Sequence[Entry], pages: Sequence[Sequence[Row]], *, title: str = ""
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return, for each page, each row's headings, the outermost first.

    An entry begins at the line that repeats its title, on its page or the next, else where it
    leads to. An outermost entry that only repeats the document's title is left out. A number
    that the outline lacks ("2.1") is taken from the line.
    """
    starts = _starts(_without_title(entries, title), pages)
    headings = text_headings(pages, starts, outlined=bool(entries), title=title)
    path = _Path()
    found = []
    for index, page in enumerate(pages):
        sections = []
        for number in range(len(page)):
            path.open(starts.get((index, number), ()), page[number])
            if heading := headings.get((index, number)):
                path.put(heading)
            elif (index, number) not in starts:
                path.close_below(page[number])
            sections.append(path.section)
        path.open(starts.get((index, len(page)), ()), None)
        found.append(tuple(sections))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Open:
    level: int
    text: str
    size: float | None = None  # of its type, in points; None where no line shows it
    run_in: bool = False


class _Path:
    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._last: dict[tuple[int, ...], int] = {}  # the last number below a number

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(part.text for part in self._open)

    def open(self, entries: Iterable[tuple[int, str]], row: Row | None) -> None:
        """Put headings of the outline in the place of those of their level and below."""
        for level, heading in entries:
            shown = row is not None and _plain(row.text).startswith(_plain(heading))
            size = row.size if row and shown else None
            run_in = bool(size) and row is not None and _plain(row.text) != _plain(heading)
            self._open = [part for part in self._open if part.level < level]
            self._push(_Open(level, heading, size, run_in))

    def put(self, heading: Found) -> None:
        """Put a heading that the text shows where its number or its type belongs."""
        if heading.top:
            self._open = []
        elif len(heading.number) > 1:
            parent = heading.number[:-1]
            at = [i for i, part in enumerate(self._open) if number_of(part.text) == parent]
            if not at or not 0 < heading.number[-1] - self._last.get(parent, 0) <= SKIPPED + 1:
                return
            self._open = self._open[: at[-1] + 1]
        else:
            self._open = list(takewhile(lambda part: _holds(part, heading), self._open))
        level = self._open[-1].level + 1 if self._open else 0
        self._push(_Open(level, heading.text, heading.size, heading.run_in))

    def close_below(self, row: Row) -> None:
        """Close a section whose heading begins a paragraph where a bold line in larger type is."""
        last = self._open[-1] if len(self._open) > 1 else None
        whole = row.bold >= len(row.text) and len(row.spans) == 1
        if whole and last and last.run_in and last.size and is_larger(row.size, last.size):
            self._open.pop()

    def _push(self, part: _Open) -> None:
        self._open.append(part)
        if number := number_of(part.text):
            self._last[number[:-1]] = number[-1]
            self._last.pop(number, None)


def _holds(part: _Open, heading: Found) -> bool:
    if part.size is None or part.run_in != heading.run_in:
        return not part.run_in
    return is_larger(part.size, heading.size)


def _without_title(entries: Sequence[Entry], title: str) -> list[Entry]:
    roots = [entry for entry in entries if entry.level == 0]
    if len(roots) == 1 and len(entries) > 1 and _plain(roots[0].title) == _plain(title):
        return [replace(entry, level=entry.level - 1) for entry in entries if entry.level]
    return list(entries)


def _starts(
    entries: Sequence[Entry], pages: Sequence[Sequence[Row]]
) -> dict[Place, list[tuple[int, str]]]:
    starts: dict[Place, list[tuple[int, str]]] = {}
    earliest = (0, 0)
    for number, entry in enumerate(entries):
        later = (e.page for e in entries[number + 1 :] if e.page is not None)
        last = next((page for page in later if page < len(pages)), len(pages) - 1)
        place = _place(entry, pages, earliest, last)
        if place is None or not entry.title:
            continue
        earliest = place = max(place, earliest)
        page = pages[place[0]]
        line = page[place[1]].text if place[1] < len(page) else ""
        same = _plain(line) == _plain(entry.title)
        starts.setdefault(place, []).append((entry.level, line if same else entry.title))
    return starts


def _place(
    entry: Entry, pages: Sequence[Sequence[Row]], earliest: Place, last: int
) -> Place | None:
    if entry.page is None:
        return _matching(entry, pages, earliest, range(earliest[0], last + 1))
    if not 0 <= entry.page < len(pages):
        return None
    near = range(entry.page, min(entry.page + 2, len(pages)))
    if found := _matching(entry, pages, earliest, near):
        return found
    if entry.top is None:
        return entry.page, 0
    for number, row in enumerate(pages[entry.page]):
        below = (row.top + row.bottom) / 2 <= entry.top
        if below and (entry.left is None or row.right > entry.left - row.size):
            return entry.page, number
    return entry.page, len(pages[entry.page])


def _matching(
    entry: Entry, pages: Sequence[Sequence[Row]], earliest: Place, where: Iterable[int]
) -> Place | None:
    wanted = _plain(entry.title)
    for index in where:
        found = []
        for number, row in enumerate(pages[index]):
            text = _plain(row.text) if (index, number) >= earliest else ""
            if text and (text == wanted or (len(text) >= PREFIX and wanted.startswith(text))):
                found.append(number)
        if found:
            at = entry.top if index == entry.page else None
            return index, min(found, key=lambda n: abs(pages[index][n].top - at) if at else n)
    return None


def _plain(title: str) -> str:
    rest = _NUMBER.sub("", title.strip(), count=1)
    return "".join(char for char in rest.casefold() if char.isalnum())
