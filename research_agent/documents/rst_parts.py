"""The parts of reStructuredText that are no running text."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from operator import itemgetter
from textwrap import dedent

from research_agent.documents.rst_tables import grid_table, simple_table
from research_agent.documents.rst_written_tables import written_table
from research_agent.types import ChunkKind

Part = tuple[list[str], ChunkKind]
"""Lines, and their kind."""

_MARK = r"\s*(?:(?:[-*+\u2022]|\(?(?:\d{1,3}|[A-Za-z#])[.)])\s+)?"
_DIRECTIVE = re.compile(rf"({_MARK})\.\. (?:code-block|code|sourcecode|((?:list|csv)-table))::")
_LEAD = re.compile(rf"({_MARK})(?!\s|\.\. ).*::")
"""A line that leads to code, unless it begins a directive."""


def parts(text: str) -> Iterator[Part]:
    r"""Yield the paragraphs, the tables, and as code what `::` or a directive of code leads to.

    >>> list(parts("Run::\n\n  a\n\n   b\n\nEnd"))
    [(['Run::'], 'text'), (['a', '', ' b'], 'code'), (['End'], 'text')]
    """
    for lines, kind in _paragraphs(text):
        may_be = kind == "text" and lines[0].lstrip()[0] in "=+"
        table = (simple_table(lines) or grid_table(lines)) if may_be else ""
        yield ([table], "table") if table else (lines, kind)


def _paragraphs(text: str) -> Iterator[Part]:
    head: list[str] = []
    below: list[str] = []
    margin: int | None = None
    for filled, group in groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        lines = [line.rstrip() for line in group]
        if margin is not None:
            inside = _below(margin, lines)
            below += inside
            del lines[: len(inside)]
        if lines and filled:
            yield from _led(head, below)
            (margin, head), below = _lead(lines), []
            if above := lines[: len(lines) - len(head)]:
                yield above, "text"
    yield from _led(head, below)


def _led(head: Sequence[str], below: Sequence[str]) -> Iterator[Part]:
    """Yield what is below a lead: a table if it has the head of one, else code."""
    if not head:
        yield from _code(below)
    elif table := written_table(head, below):
        yield [table], "table"
    else:
        for filled, lines in groupby([*head, "", *below], key=bool):
            if filled:
                yield list(lines), "text"


def _code(lines: Sequence[str]) -> Iterator[Part]:
    if code := dedent("\n".join(lines)).strip("\n"):
        yield code.split("\n"), "code"


def _lead(lines: Sequence[str]) -> tuple[int | None, list[str]]:
    """Return the indent beyond which lines below a paragraph are led by it; None for none.

    Return also the directive of a table that the paragraph ends with.
    """
    led = [at for at, line in enumerate(lines) if _DIRECTIVE.match(line)]
    head = list(lines[led[-1] :]) if led else []
    lead = _DIRECTIVE.match(head[0]) if head else _LEAD.fullmatch(lines[-1])
    if not lead:
        return None, []
    margin = len(lead[1].expandtabs())
    if not head or not lead[2]:
        return margin, []
    return (margin, head) if len(_below(margin, head[1:])) == len(head) - 1 else (None, [])


def _below(margin: int, lines: Sequence[str]) -> list[str]:
    """Return the first lines that are empty or begin beyond the margin."""
    spread = (line.expandtabs() for line in lines)
    deep = (not line or len(line) - len(line.lstrip()) > margin for line in spread)
    return [line for line, _ in takewhile(itemgetter(1), zip(lines, deep, strict=True))]
