"""Listings: lines in a font whose characters are all as wide, with their columns kept.

A span's `typed` text says so (`spans.py`). A document that is mostly set in such a font has none:
there it is the font of all its text.
"""

import string
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from research_agent.documents.layout.pieces import SAME_LINE, share
from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import SAME_WIDTH, Span

LEAST_LETTERS = 10
"""Different letters of a listing at least: some letters and all digits are as wide in any font."""
LEAST_ROWS = 2
MOST_BETWEEN = 3.5
"""Distance of two lines of a listing, in sizes of type, at most."""
EMPTY_LINE = 1.75
"""Distance, in the listing's usual ones, from which there is an empty line in between."""
OFF_COLUMN = 0.1
"""How far from a whole number of characters a piece may begin."""
IN_COLUMNS = 0.75
"""Share of the pieces that do; cells of a table begin anywhere."""
TYPEWRITER = 0.5
"""Share of a document's characters in such a font from which it is that of its text."""


def has_listings(pages: Sequence[Sequence[Row]]) -> bool:
    """Return whether lines in a font of equal widths are listings in this document."""
    spans = [span for page in pages for row in page for span in row.spans]
    typed = sum(len(span.text) for span in spans if span.typed and len(span.text) > 1)
    return typed < TYPEWRITER * sum(len(span.text) for span in spans)


def listing_ranges(rows: Sequence[Row]) -> tuple[tuple[int, int], ...]:
    """Return where listings start and end (exclusive) among the rows of a page."""
    found: list[tuple[int, int]] = []
    start = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and _goes_on(rows[at - 1], rows[at]):
            continue
        if at - start >= LEAST_ROWS and _is_listing(rows[start:at]):
            found.append((start, at))
        start = at
    return tuple(found)


def listing_text(rows: Sequence[Row]) -> str:
    """Return a listing line by line, each character in its column."""
    lines: list[list[Span]] = []
    for span in sorted((s for row in rows for s in row.spans), key=lambda span: -span.baseline):
        if lines and share(lines[-1][0], span) >= SAME_LINE:
            lines[-1].append(span)
        else:
            lines.append([span])
    left = min(span.left for line in lines for span in line)
    step = _step(rows)
    tops = [line[0].baseline for line in lines]
    usual = min((upper - lower for upper, lower in pairwise(tops)), default=0.0)
    written: list[str] = []
    for above, line in zip([tops[0], *tops], lines, strict=False):
        if above - line[0].baseline > EMPTY_LINE * usual:
            written.append("")
        text = ""
        for span in sorted(line, key=lambda span: span.left):
            text = (text and f"{text} ").ljust(round((span.left - left) / step))
            text += span.typed.text if span.typed else span.text
        written.append(text.rstrip())
    return "\n".join(written)


def _is_listing(rows: Sequence[Row]) -> bool:
    letters = {char for row in rows for char in row.text if char in string.ascii_letters}
    if not _width(rows[0]) or len(letters) < LEAST_LETTERS:
        return False
    if 2 * sum(len(row.spans) > 1 for row in rows) <= len(rows):
        return True  # (too few rows have several pieces for a table)
    places = [place for row in rows for place in _places(row)]
    return sum(abs(at - round(at)) <= OFF_COLUMN for at in places) >= IN_COLUMNS * len(places)


def _places(row: Row) -> list[float]:
    """Return how many characters after the first of its pieces each other piece begins."""
    first, *others = sorted(row.spans, key=lambda span: span.left)
    step = _step([row])
    return [(span.left - first.left) / step for span in others]


def _step(rows: Sequence[Row]) -> float:
    """Return the distance from one character to the next; the width of one where none is known."""
    typed = [span.typed for row in rows for span in row.spans if span.typed]
    return median([one.step for one in typed if one.step] or [_width(rows[0])])


def _width(row: Row) -> float:
    """Return the width of a row's characters; 0 where they differ, or it is a table."""
    typed = [span.typed for span in row.spans]
    widths = [one.width for one in typed if one]
    if row.table or len(widths) < len(typed) or max(widths) > (1 + SAME_WIDTH) * min(widths):
        return 0.0
    return max(widths)


def _goes_on(above: Row, row: Row) -> bool:
    width, own = _width(above), _width(row)
    low = min(span.baseline for span in above.spans)
    down = low - max(span.baseline for span in row.spans)
    if not (own and 0 <= down <= MOST_BETWEEN * max(row.size, above.size)):
        return False
    return abs(width - own) <= SAME_WIDTH * max(width, own)
