"""What is on every page and is no text: running heads, page numbers, line numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from research_agent.documents.layout.frames import Frame
from research_agent.documents.layout.pieces import Rule
from research_agent.documents.layout.spans import Span

MARGIN = 0.12  # share of the page's height, above and below, in which running heads are
REPEATED = 0.3
"""Share of the pages that carry a running head at least; left and right pages may differ."""
LINE_NUMBERS = 5  # numbers, one above the other and counting up, from which they are line numbers
LINED = 0.5  # share of the pages that have line numbers at least, where there are any
PIECES = 2  # pieces of text on a line with a line number, most often: number and text
DIGITS = 4  # digits of a line number at most
PAIR = 2  # pages, on which nothing can stand three times
EDGE = 3.0  # points by which edges that are meant to be the same may differ

_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014\s]*(\d{1,4}|[ivxlc]{1,8})[-\u2013\u2014\s]*", re.IGNORECASE
)
_DIGITS = re.compile(r"\d{1,9}")
_ROMAN = {
    hundreds + tens + ones: 100 * h + 10 * t + o
    for h, hundreds in enumerate(("", "c", "cc", "ccc"))
    for t, tens in enumerate(("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"))
    for o, ones in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
}


@dataclass(frozen=True, slots=True)
class Page:
    """The spans of a page, in drawing order, and its height in points."""

    spans: tuple[Span, ...]
    height: float
    text: str = ""  # all its characters, as the file has them
    rules: tuple[Rule, ...] = ()  # level lines that it draws
    frames: tuple[Frame, ...] = ()  # what its lines frame


def without_line_numbers(pages: Sequence[Page]) -> list[Page]:
    """Return the pages without the numbers of their lines, if many pages have such."""
    columns = [
        max((_number_column(page, edge) for edge in ("left", "right")), key=len) for page in pages
    ]
    lined = sum(map(_is_beside_text, pages, columns))
    often = lined >= min(len(pages), max(3, LINED * len(pages)))
    return [
        _without(page, column if often else ()) for page, column in zip(pages, columns, strict=True)
    ]


def _without(page: Page, column: Sequence[Span]) -> Page:
    dropped = {id(span) for span in column}
    return replace(page, spans=tuple(s for s in page.spans if id(s) not in dropped))


def _number_column(page: Page, edge: str) -> list[Span]:
    """Return numbers, one above the other, that count up; not those in framed cells."""
    numbers = [
        span
        for span in page.spans
        if span.text.isdecimal() and len(span.text) <= DIGITS and not _is_framed(page, span)
    ]
    outer = min((getattr(span, edge) for span in numbers), default=0.0)
    column = [span for span in numbers if abs(getattr(span, edge) - outer) <= EDGE]
    column.sort(key=lambda span: -span.middle)
    values = [int(span.text) for span in column]
    counted = len(column) >= LINE_NUMBERS and values == list(range(values[0], values[-1] + 1))
    return column if counted else []


def _is_beside_text(page: Page, column: Sequence[Span]) -> bool:
    """Return whether most numbers are beside one piece of text; those of a table have several."""
    pieces = Counter(round(span.middle / EDGE) for span in page.spans)
    several = sum(pieces[round(span.middle / EDGE)] > PIECES for span in column)
    return 2 * several <= len(column) > 0


def _is_framed(page: Page, span: Span, *, higher: float = 0.0) -> bool:
    return any(frame.surrounds(span, higher=higher) for frame in page.frames)


def without_running_heads(pages: Sequence[Page]) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """Return the pages without running heads and page numbers, and the printed page numbers.

    A number that grows by one from page to page is a label; "" where a page has none. Of two pages
    the first one keeps the head and the second one the foot.
    """
    margins = [_margin(page) for page in pages]
    numbers = _page_numbers(margins)
    seen = Counter(key for margin in margins for key in set(map(_key, margin)))
    often = max(3, REPEATED * len(pages))
    twice = _twice(pages, margins) if len(pages) == PAIR else frozenset()
    cleaned = []
    for page, margin, number in zip(pages, margins, numbers, strict=True):
        dropped = {id(span) for span in margin if seen[_key(span)] >= often} | {id(number)} | twice
        kept = tuple(span for span in page.spans if id(span) not in dropped)
        cleaned.append(replace(page, spans=kept))
    return tuple(cleaned), tuple(_label(span) if span else "" for span in numbers)


def _margin(page: Page) -> tuple[Span, ...]:
    low, high = MARGIN * page.height, (1 - MARGIN) * page.height
    outer = (span for span in page.spans if span.middle < low or span.middle > high)
    # a table that begins at the top repeats its head there
    return tuple(s for s in outer if not _is_framed(page, s, higher=MARGIN * page.height))


def _key(span: Span) -> tuple[str, int]:
    return re.sub(r"\d", "#", span.text), round(span.middle / EDGE)


def _twice(pages: Sequence[Page], margins: Sequence[Sequence[Span]]) -> frozenset[int]:
    """Return the ids of the second head and the first foot of two pages: outer lines alike."""
    found = set[int]()
    for head in (True, False):
        sides = (
            _outer_lines(
                (span for span in margin if (2 * span.middle > page.height) == head), head=head
            )
            for page, margin in zip(pages, margins, strict=True)
        )
        for lines in takewhile(_are_alike, zip(*sides, strict=False)):
            found |= {id(span) for span in lines[head]}
    return frozenset(found)


def _outer_lines(spans: Iterable[Span], *, head: bool) -> list[list[Span]]:
    ordered = sorted(spans, key=lambda span: span.middle, reverse=head)
    lines = groupby(ordered, key=lambda span: round(span.middle / EDGE))
    return [sorted(line, key=lambda span: span.left) for _, line in lines]


def _are_alike(lines: Sequence[Sequence[Span]]) -> bool:
    """Return whether two lines have one place and text; numbers may be one higher overleaf."""
    first, second = lines
    numbers = [
        [int(number) for span in line for number in _DIGITS.findall(span.text)] for line in lines
    ]
    alike = [*map(_key, first)] == [*map(_key, second)] and len(numbers[0]) == len(numbers[1])
    return alike and all(b - a in (0, 1) for a, b in zip(*numbers, strict=True))


def _label(span: Span) -> str:
    match = _NUMBER.fullmatch(span.text)
    return match[1] if match else ""


def _page_numbers(margins: Sequence[Sequence[Span]]) -> list[Span | None]:
    """Return each page's number, in the outer two lines of its margins, or None."""
    candidates = []
    for index, margin in enumerate(margins):
        levels = sorted({round(span.middle / EDGE) for span in margin})
        outer = {*levels[:2], *levels[-2:]}
        for span in margin:
            label = _label(span)
            value = _value(label) if label and round(span.middle / EDGE) in outer else 0
            if value:
                candidates.append((index, span, (label.isdecimal(), value - index)))
    counts = Counter(count for _, count in {(index, count) for index, _, count in candidates})
    enough = min(3, max(2, len(margins)))
    numbers: list[Span | None] = [None] * len(margins)
    for index, span, count in sorted(candidates, key=lambda candidate: -counts[candidate[2]]):
        if counts[count] >= enough:
            numbers[index] = numbers[index] or span
    return numbers


def _value(label: str) -> int:
    return int(label) if label.isdecimal() else _ROMAN.get(label.lower(), 0)
