"""PPTX files, opened with python-pptx: a page a slide, with tables, charts and notes."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from research_agent.documents.adapters.zipped.archive import FAULTS, check_archive
from research_agent.errors import DocumentError
from research_agent.types.documents import Block, ParsedDocument

DEPTH = 20  # of groups nested deeper than this nothing is taken

_Shape = Any  # of python-pptx, which ships no types


def parse_pptx(data: bytes) -> ParsedDocument:
    """Return the document in a PPTX file's bytes; page 4 is the fourth slide, hidden ones too.

    A slide's title is its section. Pictures are left out. Raises DocumentError for what is no
    PPTX file, has a password, or is too large when unpacked.
    """
    check_archive(data, "PPTX")
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    try:
        deck = Presentation(BytesIO(data))
        slides = list(enumerate(deck.slides, start=1))
        blocks = tuple(block for number, slide in slides for block in _slide(slide, number))
        properties = deck.core_properties
        title = " ".join((properties.title or "").split())
        day = properties.created or properties.modified
    except (*FAULTS, SyntaxError, AttributeError, PythonPptxError) as error:
        raise DocumentError("not a readable PPTX") from error
    if title in {"", "PowerPoint Presentation"}:
        title = next((block.section[0] for block in blocks if block.section), "")
    date = day.date().isoformat() if day else ""
    return ParsedDocument(blocks, title=title, date=date)


def _slide(slide: _Shape, number: int) -> Iterator[Block]:
    shape = slide.shapes.title
    title = " ".join(shape.text_frame.text.split()) if shape is not None else ""
    section = (title,) if title else ()
    if title:
        yield Block(title, number, section)
    for block in _shapes(slide.shapes, shape):
        yield Block(block.text, number, section, block.kind)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        yield Block(f"Notes: {_clean(notes.text)}", number, section)


def _shapes(shapes: Iterable[_Shape], title: _Shape, depth: int = 0) -> Iterator[Block]:
    """Yield what is written in shapes, in their order in the file; that of readers aloud."""
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes") and depth < DEPTH:
            yield from _shapes(shape.shapes, title, depth + 1)
        elif getattr(shape, "has_table", False):
            rows = ([_flat(cell.text) for cell in row.cells] for row in shape.table.rows)
            yield Block("\n".join(" | ".join(row) for row in rows if any(row)), kind="table")
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart)
        elif shape.has_text_frame:
            yield from _frame(shape)


def _frame(shape: _Shape) -> Iterator[Block]:
    """Yield the paragraphs of a text; those of a slide's body are a list."""
    lines = [(p.level, _clean(p.text)) for p in shape.text_frame.paragraphs if p.text.strip()]
    if shape.is_placeholder and len(lines) > 1:
        for level, line in lines:
            yield Block(f"{'  ' * level}- {line}", kind="list")
    elif lines:
        yield Block("\n".join(line for _, line in lines))


def _chart(chart: _Shape) -> Iterator[Block]:
    """Yield the numbers that a chart is drawn from, a row for each of its categories."""
    title = chart.chart_title.text_frame.text if chart.has_title else ""
    for plot in chart.plots:
        series = list(plot.series)
        head = " | ".join([" ", *(_flat(one.name or "") for one in series)])
        rows = [[_flat(str(name))] for name in plot.categories]
        for one in series:
            for row, value in zip(rows, one.values, strict=False):
                row.append("" if value is None else f"{value:g}")
        lines = [_flat(title), head, *(" | ".join(row) for row in rows)]
        yield Block("\n".join(filter(str.strip, lines)), kind="table")


def _clean(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))


def _flat(text: str) -> str:
    return " ".join(text.split())
