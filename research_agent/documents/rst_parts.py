"""The parts of reStructuredText that are no running text."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from operator import itemgetter
from textwrap import dedent

from research_agent.documents.rst_tables import grid_table, simple_table
from research_agent.types import ChunkKind

Part = tuple[list[str], ChunkKind]
"""Lines, and their kind."""

_MARK = r"\s*(?:(?:[-*+\u2022]|\(?(?:\d{1,3}|[A-Za-z#])[.)])\s+)?"
_CODE = re.compile(rf"({_MARK})\.\. (?:code-block|code|sourcecode)::")
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
    code: list[str] = []
    margin: int | None = None
    for filled, group in groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        lines = [line.rstrip() for line in group]
        if margin is not None:
            inside = _below(margin, lines)
            code += inside
            del lines[: len(inside)]
        if lines and filled:
            yield from _code(code)
            code, margin = [], _margin(lines)
            yield lines, "text"
    yield from _code(code)


def _code(lines: Sequence[str]) -> Iterator[Part]:
    if code := dedent("\n".join(lines)).strip("\n"):
        yield code.split("\n"), "code"


def _margin(lines: Sequence[str]) -> int | None:
    """Return the indent beyond which lines below a paragraph are code; None for no code."""
    led = [match for line in lines if (match := _CODE.match(line))]
    lead = led[-1] if led else _LEAD.fullmatch(lines[-1])
    return len(lead[1].expandtabs()) if lead else None


def _below(margin: int, lines: Sequence[str]) -> list[str]:
    """Return the first lines that are empty or begin beyond the margin."""
    spread = (line.expandtabs() for line in lines)
    deep = (not line or len(line) - len(line.lstrip()) > margin for line in spread)
    return [line for line, _ in takewhile(itemgetter(1), zip(lines, deep, strict=True))]
