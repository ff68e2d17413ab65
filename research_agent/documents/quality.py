"""How well a document could be read, in words."""

from collections.abc import Iterator

from research_agent.text.boilerplate_sections import apparatus
from research_agent.types.documents import SCANNED, ParsedDocument, ParseQuality
from research_agent.types.records import DocumentRecord

OCR = "ocrmypdf IN.pdf OUT.pdf"
"""A command that gives scanned pages a text."""
MANY = 0.2
"""Share of pages without text from which OCR is worth its time."""


def tables_in(document: ParsedDocument) -> int:
    r"""Return the number of tables in a document, tables of contents not counted.

    >>> from research_agent.types.documents import Block
    >>> tables_in(ParsedDocument((Block("a | b\n1 | 2", kind="table"), Block("text"))))
    1
    """
    last = max((block.page for block in document.blocks), default=1)
    return sum(
        block.kind == "table" and not apparatus(block.text, page=block.page, last_page=last)
        for block in document.blocks
    )


def ocr_hint(record: DocumentRecord) -> str:
    """Say how to get at the text of a scanned document; empty where that does not help."""
    quality = record.quality or ParseQuality()
    scanned = record.status == "failed" and record.reason.startswith(SCANNED)
    if scanned or quality.textless > MANY * max(quality.pages, 1):
        return f"give it a text with OCR ({OCR}), and index it again"
    return ""


def dropped(quality: ParseQuality) -> Iterator[tuple[str, int]]:
    """Yield what was left out of the text and how often, as far as there was some.

    >>> dict(dropped(ParseQuality(line_numbers=3)))
    {'line numbers': 3}
    """
    found = {"running heads": quality.running_heads, "line numbers": quality.line_numbers}
    yield from ((name, count) for name, count in found.items() if count)
