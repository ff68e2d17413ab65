"""Which headings a document's outline (its bookmarks) puts above each line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.core.page_layout import Row

PREFIX = 12
"""So many letters of a heading that is broken over two lines are enough to know it."""

_NUMBER = re.compile(
    r"^(?:appendix\s+)?[A-Z]?[\d.]*\d[.)]?(?=\s)|^appendix\s+[A-Z][.:]?(?=\s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bookmark: its depth from 0, its title, and where it leads."""

    level: int
    title: str
    page: int
    """Counted from 0."""
    top: float | None = None
    """Height on the page, in points; None leads to the page's top."""
    left: float | None = None


def row_sections(
    entries: Sequence[Entry], pages: Sequence[Sequence[Row]], *, title: str = ""
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return, for each page, each row's headings, the outermost first.

    An entry begins at the line that repeats its title, on its page or the next, else where it
    leads to. An outermost entry that only repeats the document's title is left out. A number
    that the outline lacks ("2.1") is taken from the line.

    >>> from research_agent.core.page_layout import Span
    >>> page = [Row(((Span(text, 0, y, 9, y + 9),),)) for text, y in (("a", 20), ("1 Intro", 5))]
    >>> row_sections([Entry(0, "Intro", 0)], [page])
    (((), ('1 Intro',)),)
    """
    starts = _starts(_without_title(entries, title), pages)
    path: list[tuple[int, str]] = []
    found = []
    for index, page in enumerate(pages):
        sections = []
        for number in range(len(page)):
            for level, heading in starts.get((index, number), ()):
                path = [*(part for part in path if part[0] < level), (level, heading)]
            sections.append(tuple(heading for _, heading in path))
        for level, heading in starts.get((index, len(page)), ()):
            path = [*(part for part in path if part[0] < level), (level, heading)]
        found.append(tuple(sections))
    return tuple(found)


def _without_title(entries: Sequence[Entry], title: str) -> list[Entry]:
    """Drop an outermost entry that is the document's title and holds all the others."""
    roots = [entry for entry in entries if entry.level == 0]
    if len(roots) == 1 and len(entries) > 1 and _plain(roots[0].title) == _plain(title):
        return [Entry(e.level - 1, e.title, e.page, e.top, e.left) for e in entries if e.level]
    return list(entries)


def _starts(
    entries: Sequence[Entry], pages: Sequence[Sequence[Row]]
) -> dict[tuple[int, int], list[tuple[int, str]]]:
    """Return the levels and headings that begin at (page, row); never before an earlier one."""
    starts: dict[tuple[int, int], list[tuple[int, str]]] = {}
    earliest = (0, 0)
    for entry in entries:
        if not 0 <= entry.page < len(pages) or not entry.title:
            continue
        place = _matching(entry, pages, earliest) or _position(entry, pages)
        place = max(place, earliest)
        page = pages[place[0]]
        line = page[place[1]].text if place[1] < len(page) else ""
        same = _plain(line) == _plain(entry.title)
        starts.setdefault(place, []).append((entry.level, line if same else entry.title))
        earliest = place
    return starts


def _matching(
    entry: Entry, pages: Sequence[Sequence[Row]], earliest: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the row on the entry's page, or the next, that repeats its title."""
    wanted = _plain(entry.title)
    for index in range(entry.page, min(entry.page + 2, len(pages))):
        found = [
            number
            for number, row in enumerate(pages[index])
            if (index, number) >= earliest and _repeats(row.text, wanted)
        ]
        if found:
            at = entry.top if index == entry.page else None
            return index, min(found, key=lambda n: abs(pages[index][n].top - at) if at else n)
    return None


def _repeats(line: str, wanted: str) -> bool:
    """Say whether a line is the heading `wanted`, or its beginning."""
    text = _plain(line)
    return bool(text) and (text == wanted or (len(text) >= PREFIX and wanted.startswith(text)))


def _position(entry: Entry, pages: Sequence[Sequence[Row]]) -> tuple[int, int]:
    """Return the first row at or below the entry's place."""
    if entry.top is None:
        return entry.page, 0
    for number, row in enumerate(pages[entry.page]):
        below = (row.top + row.bottom) / 2 <= entry.top
        if below and (entry.left is None or row.right > entry.left - row.size):
            return entry.page, number
    return entry.page, len(pages[entry.page])


def _plain(title: str) -> str:
    """Return the letters and digits of a heading without its number.

    >>> _plain("2.1. Key Sizes") == _plain("Key  sizes") and _plain("8") == "8"
    True
    """
    rest = _NUMBER.sub("", title.strip(), count=1)
    return "".join(char for char in rest.casefold() if char.isalnum())
