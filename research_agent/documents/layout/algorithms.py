"""Which rows of a page are an algorithm in numbered steps, and the algorithm line by line."""

import re
from collections.abc import Sequence

from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import Span

HEAD_ROWS = 14  # rows between the caption and the first step at most: what goes in and out
BETWEEN = 4  # rows without a number between two steps at most
INDENT = 1.4  # width of one step of indentation, in line heights

_CAPTION = re.compile(r"(?:Algorithm|Procedure|Protocol|Algorithmus|Algorithme)\s+[A-Z]?\d[\d.]*\b")
_SENTENCE = re.compile(r"\b(?:is|are|was|takes|uses|computes|shall|shows|describes)\b")


def algorithm_ranges(rows: Sequence[Row]) -> tuple[tuple[int, int], ...]:
    """Return where algorithms start and end (exclusive) among the rows of a page.

    An algorithm begins with its caption and ends with its last step. What begins as a caption does
    and has no steps below it, such as a line of a list of algorithms, is none.
    """
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = _end(rows, start) if _is_caption(rows[start].text) else start
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
    """Return the number of the expected step in a text, as its first group."""
    return re.search(rf"(?:^|\s)({expected}\s?:)(?=\s|$)", text)


def _indent(mark: Span | None, span: Span) -> str:
    """Return the spaces before a piece that follows the number of its line."""
    if mark is None or mark is span:
        return ""
    return "  " * max(0, min(round((span.left - mark.right) / (INDENT * mark.size)) - 1, 20))


def _is_caption(text: str) -> bool:
    """Say whether a line names an algorithm and is no sentence about one."""
    match = _CAPTION.match(text)
    return match is not None and not _SENTENCE.search(text) and not text.endswith((".", ","))


def _end(rows: Sequence[Row], start: int) -> int:
    """Return the end of the algorithm whose caption is at `start`; `start` where there is none."""
    end, expected = start, 1
    for index in range(start + 1, len(rows)):
        row = rows[index]
        if _is_caption(row.text) or index - end > (BETWEEN if expected > 1 else HEAD_ROWS):
            break
        before = expected
        for span in row.spans:
            while _next_step(span.text, expected):
                expected += 1
        end = index + 1 if expected > before else end
    return end if expected > 2 else start  # noqa: PLR2004 (one step proves nothing)
