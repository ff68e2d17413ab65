"""Notebooks: their cells in order, headings of Markdown cells become the section path."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from research_agent.documents.adapters.markup.html import parse_html
from research_agent.documents.adapters.markup.markdown import Walk, tokens
from research_agent.errors import DocumentError
from research_agent.text.visible import without_colours
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument

OUTPUT_CHARS = 4000  # of one output of a notebook so much is kept

_REDRAWN = re.compile(r"(?<![^\n\r])[^\n\r]*+\r(?!\n|$)")
"""What a program has written over in the same line, as a bar of progress is."""
_NAMELESS = re.compile(r"<[^<>]*>")
"""How Python writes an object that has a form for people alone."""


def parse_notebook(text: str) -> ParsedDocument:
    r"""Return the document in a notebook's JSON; headings in one cell hold for those below.

    Of outputs the text is kept, or the page where there is none. Raises DocumentError for other
    JSON.

    >>> text = '{"cells": [{"cell_type": "code", "source": "1 + 1", "outputs": [{"text": "2"}]}]}'
    >>> [(b.text, b.page) for b in parse_notebook(text).blocks]
    [('1 + 1', 1), ('Output:\n2', 1)]
    """
    try:
        book = json.loads(text)
        cells = book["cells"] if "cells" in book else book["worksheets"][0]["cells"]
        blocks: list[Block] = []
        path: list[tuple[int, str]] = []
        for number, cell in enumerate(cells, start=1):
            walk = Walk(path)
            blocks += [replace(block, page=number) for block in _cell_blocks(cell, walk)]
            path = walk.path
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise DocumentError(f"not a readable notebook: {error}"[:200]) from error
    title = next((block.section[0] for block in blocks if block.section), "")
    cut = sum(block.text.endswith("\n…") for block in blocks)
    warning = f"of {cut} outputs the first {OUTPUT_CHARS} characters were kept"
    return ParsedDocument(tuple(blocks), title=title, warnings=(warning,) if cut else ())


def _cell_blocks(cell: Mapping[str, Any], walk: Walk) -> Iterator[Block]:
    source = _joined(cell.get("source", cell.get("input", "")))
    if cell["cell_type"] == "markdown":
        yield from walk.blocks(tokens(source))
        return
    yield from walk.block(source, "code" if cell["cell_type"] == "code" else "text")
    for output in cell.get("outputs", ()):
        text, kind = _output(output)
        if len(text) > OUTPUT_CHARS:
            text = text[:OUTPUT_CHARS].rstrip() + "\n…"
        if text.strip():
            yield from walk.block(f"Output:\n{text}", kind)


def _output(output: Mapping[str, Any]) -> tuple[str, ChunkKind]:
    """Return what a reader sees of an output, and its kind."""
    if output.get("output_type") == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}", "code"
    data = output.get("data", output)
    plain = _joined(data.get("text/plain", data.get("text", ""))).strip("\n")
    plain = _REDRAWN.sub("", without_colours(plain))
    if plain and not _NAMELESS.fullmatch(plain):
        return plain, "code"
    blocks = parse_html(_joined(data.get("text/html", data.get("html", "")))).blocks
    forms = (
        "\n".join(block.text for block in blocks),
        *map(data.get, ("text/markdown", "text/latex")),
    )
    text = next((_joined(form) for form in forms if form), plain)
    return text, "table" if [block.kind for block in blocks] == ["table"] else "code"


def _joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
