"""Jupyter notebooks: a page a cell, counted from the top; outputs as text."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from research_agent.errors import DocumentError
from research_agent.types.documents import Block, ParsedDocument

OUTPUT_CHARS = 4000  # of one output so much is kept


def parse_notebook(text: str, parse_markdown: Callable[[str], ParsedDocument]) -> ParsedDocument:
    r"""Return the document in a notebook's JSON; headings in one cell hold for those below.

    Of outputs the text is kept, not pictures and pages. Raises DocumentError for other JSON.

    >>> text = '{"cells": [{"cell_type": "code", "source": "1 + 1", "outputs": [{"text": "2"}]}]}'
    >>> [(b.text, b.page) for b in parse_notebook(text, lambda _: ParsedDocument()).blocks]
    [('1 + 1', 1), ('Output:\n2', 1)]
    """
    try:
        book = json.loads(text)
        cells = book["cells"] if "cells" in book else book["worksheets"][0]["cells"]
        blocks = tuple(_blocks(cells, parse_markdown))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise DocumentError(f"not a readable notebook: {error}"[:200]) from error
    title = next((block.section[0] for block in blocks if block.section), "")
    cut = sum(block.text.endswith("\n…") for block in blocks)
    warning = f"of {cut} outputs the first {OUTPUT_CHARS} characters were kept"
    return ParsedDocument(blocks, title=title, warnings=(warning,) if cut else ())


def _blocks(
    cells: list[Mapping[str, Any]], parse_markdown: Callable[[str], ParsedDocument]
) -> Iterator[Block]:
    section: tuple[str, ...] = ()
    for number, cell in enumerate(cells, start=1):
        source = _joined(cell.get("source", cell.get("input", "")))
        if cell["cell_type"] == "markdown":  # (read below the headings above it)
            above = [f"{'#' * level} {name}" for level, name in enumerate(section, start=1)]
            found = parse_markdown("\n\n".join([*above, source])).blocks[len(above) :]
            for block in found:
                yield replace(block, page=number)
            section = found[-1].section if found else section
            continue
        yield Block(source, number, section, "code" if cell["cell_type"] == "code" else "text")
        for output in map(_output, cell.get("outputs", ())):
            if output.strip():
                yield Block(f"Output:\n{output}", number, section, "code")


def _output(output: Mapping[str, Any]) -> str:
    data = output.get("data", output)
    shown = data.get("text/plain", data.get("text", ""))
    if output.get("output_type") == "error":
        shown = f"{output.get('ename', '')}: {output.get('evalue', '')}"
    text = _joined(shown).strip("\n")
    return text if len(text) <= OUTPUT_CHARS else text[:OUTPUT_CHARS].rstrip() + "\n…"


def _joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
