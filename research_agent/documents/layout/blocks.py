"""The rows of a page -> paragraphs, list items, tables and algorithms in numbered steps."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median

from research_agent.documents.layout.grid import is_caption
from research_agent.documents.layout.joining import join_lines
from research_agent.documents.layout.listings import listing_ranges, listing_text
from research_agent.documents.layout.pieces import Rule
from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import Span
from research_agent.documents.layout.tables import table_ranges, table_text
from research_agent.types import ChunkKind
from research_agent.types.documents import Block

PARAGRAPH_GAP = 1.22
"""Distance of two lines, in usual distances of the page, from which a paragraph begins."""
INDENT = 0.8  # indentation, in line heights, that begins a paragraph
LONG_ROW = 150  # mean length of a table's rows from which it is a list of entries, cut between them
SHORT = 0.15
"""Share of its width by which the last line of a paragraph is shorter, where that is seen."""
SAME_PITCH = 0.06  # difference of distances, as a share, up to which two lines are set alike
OTHER_TYPE = 0.2
"""Difference of type sizes, as a share, from which two lines are not of one paragraph."""
HEAD_ROWS = 14  # rows between the caption and the first step at most: what goes in and out
BETWEEN = 4  # rows without a number between two steps at most
STEP_INDENT = 1.4  # width of one step of indentation, in line heights

_ALGORITHM = re.compile(
    r"(?:Algorithm|Procedure|Protocol|Algorithmus|Algorithme)\s+[A-Z]?\d[\d.]*\b"
)
_SENTENCE = re.compile(r"\b(?:is|are|was|takes|uses|computes|shall|shows|describes)\b")
_BULLET = re.compile(
    r"[\u2022\u2023\u2043\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\u2713\u2756\u27a2]|[-\u2013\u2014*]\s"
)
_NUMBERED = re.compile(r"\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.):]\s|\[[\w.+-]{1,14}\]\s")
_STEP = re.compile(r"\d{1,3}:(?:\s|$)|(?:Input|Output|Require|Ensure)\s?:")
_MARK = re.compile(r".{0,2}")  # of a footnote
_LEADERS = re.compile(r"(?:\.\s*){4,}")
_Piece = tuple[str, ChunkKind, tuple[str, ...]]
"""The text of a block, its kind, and headings of its own below the section's."""
_ENDS = re.compile(r"[.?!:;\u3002]['\"\u201d\u2019)\]]*$")


def page_blocks(
    rows: Sequence[Row],
    sections: Sequence[tuple[str, ...]],
    *,
    page: int = 1,
    words: Collection[str] = (),
    rules: Sequence[Rule] = (),
    listings: bool = True,
) -> tuple[Block, ...]:
    """Return the blocks of a page; `words` are the document's, to join words cut by a line's end.

    Without `listings`, lines in a font of equal widths are text like all others.

    >>> from research_agent.documents.layout.spans import Span
    >>> lines = [Row(((Span("a para-", 0, 12, 60, 22),),)), Row(((Span("graph", 0, 0, 40, 10),),))]
    >>> [block.text for block in page_blocks(lines, [(), ()])]
    ['a paragraph']
    """
    pitch = _usual_pitch(rows)
    blocks: list[Block] = []
    for section, pairs in groupby(zip(sections, rows, strict=True), key=itemgetter(0)):
        group = [row for _, row in pairs]
        headed = bool(section) and group[0].text == section[-1]
        if headed:
            blocks.append(Block(section[-1], page, section))
        left = group[headed:]
        for part, is_listing in _parted(left, listing_ranges(left) if listings else ()):
            if is_listing:
                blocks.append(Block(listing_text(part), page, section, "code"))
                continue
            for text, kind, below in _pieces(part, pitch, words, rules):
                blocks.append(Block(text, page, (*section, *below), kind))
    return tuple(blocks)


def _parted(
    rows: Sequence[Row], ranges: Sequence[tuple[int, int]]
) -> Iterator[tuple[Sequence[Row], bool]]:
    """Yield the rows before, in, between and after ranges; with each, whether it is a range."""
    done = 0
    for start, end in ranges:
        yield rows[done:start], False
        yield rows[start:end], True
        done = end
    yield rows[done:], False


def _pieces(
    rows: Sequence[Row], pitch: float, words: Collection[str], rules: Sequence[Rule]
) -> Iterator[_Piece]:
    for part, is_algorithm in _parted(rows, algorithm_ranges(rows)):
        if is_algorithm:
            hyphens = ("\N{SOFT HYPHEN}", "-")
            name, text = part[0].text.replace(*hyphens), algorithm_text(part).replace(*hyphens)
            yield text, "algorithm", (name,)
        else:
            yield from _tables_and_text(part, pitch, words, rules)


def _tables_and_text(
    rows: Sequence[Row], pitch: float, words: Collection[str], rules: Sequence[Rule]
) -> Iterator[_Piece]:
    """Yield tables, one of long entries (a glossary) as the items of a list, and paragraphs.

    A table whose cells are framed is always one.
    """
    for part, is_table in _parted(rows, table_ranges(rows, rules)):
        if is_table:
            table = table_text(part, words, rules)
            lines = table.split("\n")
            framed = any(row.table for row in part)
            if framed or len(table) <= LONG_ROW * len(lines):
                yield table, "table", ()
            else:
                yield from ((line, "list", ()) for line in lines)
            continue
        for paragraph in _paragraphs(part, pitch):
            text = join_lines([row.text for row in paragraph], words)
            item = _is_item(text) or _LEADERS.search(paragraph[0].text)
            yield text, "list" if item else "text", ()


def _paragraphs(rows: Sequence[Row], pitch: float) -> Iterator[list[Row]]:
    paragraph: list[Row] = []
    for row in rows:
        if paragraph and _begins(paragraph, row, pitch):
            yield paragraph
            paragraph = []
        paragraph.append(row)
    if paragraph:
        yield paragraph


def _is_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBERED.match(text) or _STEP.match(text))


def _usual_pitch(rows: Sequence[Row]) -> float:
    lines = [line for row in rows for line in _lines(row)]
    steps = [
        above.baseline - below.baseline
        for above, below in pairwise(lines)
        if 0.5 * above.size < above.baseline - below.baseline < 3 * above.size
    ]
    return median(steps) if steps else 14.0


def _lines(row: Row) -> Sequence[Row | Span]:
    """Return the row, or the first lines of the rows of a table in it."""
    if row.table is None:
        return [row]
    firsts = ([cell.lines[0][0] for cell in of if cell.lines] for of in row.table.rows)
    return [max(first, key=lambda span: span.baseline) for first in firsts if first]


def _begins(paragraph: Sequence[Row], row: Row, pitch: float) -> bool:
    lines = [line for line in paragraph if not _MARK.fullmatch(line.text)] or paragraph
    last = lines[-1]
    ended = _ENDS.search(last.text) is not None
    step = last.baseline - row.baseline
    if _MARK.fullmatch(row.text) and row.size < last.size and 0 < step < pitch:
        return False
    if _BULLET.match(row.text) or _STEP.match(row.text) or _LEADERS.search(last.text):
        return True
    if row.top > last.top + last.size:  # the next column
        return ended or not row.text[:1].islower()
    if step > PARAGRAPH_GAP * pitch or _is_other_type(last, row, step / pitch):
        return True
    if is_caption(row.text) or (_NUMBERED.match(row.text) and _is_item(paragraph[0].text)):
        return ended or not is_caption(row.text)
    return (ended and _NUMBERED.match(row.text) is not None) or (ended and _is_new(lines, row))


def _is_other_type(last: Row, row: Row, step: float) -> bool:
    differ = abs(row.size - last.size) > OTHER_TYPE * max(row.size, last.size)
    return differ and abs(step - 1) > SAME_PITCH and not _MARK.fullmatch(row.text)


def _is_new(paragraph: Sequence[Row], row: Row) -> bool:
    last = paragraph[-1]
    full = max(row.right, *(line.right for line in paragraph))
    if last.right < full - SHORT * (full - min(last.left, row.left)):
        return True
    hanging = _is_item(paragraph[0].text) and len(paragraph) == 1
    return row.left > last.left + INDENT * last.size and not hanging


def algorithm_ranges(rows: Sequence[Row]) -> tuple[tuple[int, int], ...]:
    """Return where algorithms start (caption) and end (last step, exclusive) among the rows."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = _end(rows, start) if _is_algorithm(rows[start].text) else start
        if end > start:
            found.append((start, end))
        start = max(end, start + 1)
    return tuple(found)


def algorithm_text(rows: Sequence[Row]) -> str:
    r"""Return one line a step, indented as it is seen; what is above the steps row by row.

    >>> def row(*pieces):
    ...     return Row(tuple((Span(t, x, y, x + 9, y + 9),) for t, x, y in pieces))
    >>> page = [row(("Algorithm 1 Sum", 0, 36)), row(("1:", 0, 24), ("for i", 10, 24))]
    >>> print(algorithm_text([*page, row(("2:", 0, 12), ("add i", 36, 12)), row(("3: end", 0, 0))]))
    Algorithm 1 Sum
    1: for i
    2:   add i
    3: end
    """
    lines: list[str] = []
    expected, mark = 1, None
    for row in rows:
        if expected == 1 and not _next_step(row.text, expected):
            lines.append(row.text)
            continue
        for span in row.spans:
            text = span.text
            while match := _next_step(text, expected):
                if before := text[: match.start(1)].strip():
                    lines[-1] += f" {before}"
                lines.append(match[1])
                text, expected, mark = text[match.end(1) :].strip(), expected + 1, span
            if text:
                lines[-1] += f" {_indent(mark, span)}{text}"
                mark = None
    return "\n".join(lines)


def _next_step(text: str, expected: int) -> re.Match[str] | None:
    return re.search(rf"(?:^|\s)({expected}\s?:)(?=\s|$)", text)


def _indent(mark: Span | None, span: Span) -> str:
    if mark is None or mark is span:
        return ""
    return "  " * max(0, min(round((span.left - mark.right) / (STEP_INDENT * mark.size)) - 1, 20))


def _is_algorithm(text: str) -> bool:
    match = _ALGORITHM.match(text)
    return match is not None and not _SENTENCE.search(text) and not text.endswith((".", ","))


def _end(rows: Sequence[Row], start: int) -> int:
    end, expected = start, 1
    for index in range(start + 1, len(rows)):
        row = rows[index]
        if _is_algorithm(row.text) or index - end > (BETWEEN if expected > 1 else HEAD_ROWS):
            break
        before = expected
        for span in row.spans:
            while _next_step(span.text, expected):
                expected += 1
        end = index + 1 if expected > before else end
    return end if expected > 2 else start  # noqa: PLR2004 (one step proves nothing)
