"""PPTX files, opened with python-pptx: a page a slide, with tables, charts and notes."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from research_agent.documents.adapters.office import FAULTS, opened
from research_agent.documents.adapters.office.charts import charts
from research_agent.documents.adapters.office.diagrams import diagrams
from research_agent.documents.adapters.office.formulas import formula_text
from research_agent.documents.list_numbers import shown_number
from research_agent.errors import DocumentError
from research_agent.text.indices import Side, marked, struck, written
from research_agent.text.tables import Cell, joined_cells
from research_agent.types.documents import Block, ParsedDocument

DEPTH = 20  # of groups nested deeper than this nothing is taken

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FORMULA = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_REPEATED = {"DATE", "FOOTER", "SLIDE_NUMBER"}  # placeholders that are alike on every slide
_Shape = Any  # of python-pptx, which ships no types


def parse_pptx(data: bytes) -> ParsedDocument:
    """Return the document in a PPTX file's bytes; page 4 is slide 4; raises DocumentError."""
    opened(data, "PPTX").close()
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
    return ParsedDocument(blocks, title=title, date=day.date().isoformat() if day else "")


def _slide(slide: _Shape, number: int) -> Iterator[Block]:
    _unfold(slide.element)
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


def _unfold(slide: _Shape) -> None:
    """Put what only newer programs show, and formulas, where the library looks for it."""
    for choices in list(slide.iter(f"{_MC}AlternateContent")):
        for newest in choices.findall(f"{_MC}Choice")[:1]:
            for element in list(newest):
                choices.addprevious(element)
    for formula in list(slide.iter(_FORMULA)):
        paragraph = formula.getparent()
        paragraph.replace(formula, paragraph.add_r(written(formula_text(formula))))


def _shapes(shapes: Iterable[_Shape], title: _Shape, depth: int = 0) -> Iterator[Block]:
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.is_placeholder and shape.placeholder_format.type.name in _REPEATED:
            continue
        if hasattr(shape, "shapes") and depth < DEPTH:
            yield from _shapes(shape.shapes, title, depth + 1)
        elif getattr(shape, "has_table", False):
            yield Block(_table(shape.table), kind="table")
        elif shape.has_text_frame:
            yield from _frame(shape)
        else:
            shown = shape._element, shape.part  # noqa: SLF001 (the library knows few kinds)
            yield from (*charts(*shown), *diagrams(*shown))


def _frame(shape: _Shape) -> Iterator[Block]:
    counts: dict[int, int] = {}
    lines = []
    for p in (p for p in shape.text_frame.paragraphs if p.text.strip()):
        numbered, mark = p._p.find(f"{_A}pPr/{_A}buAutoNum"), ""  # noqa: SLF001 (it has no other way)
        counts = {at: n for at, n in counts.items() if at < p.level + (numbered is not None)}
        if numbered is not None:
            counts[p.level] = counts.get(p.level, int(numbered.get("startAt", 1)) - 1) + 1
            kind = numbered.get("type", "")
            mark = f"{shown_number(counts[p.level], kind)}{')' if 'Paren' in kind else '.'} "
        lines.append((p.level, mark, _clean(_written(p))))
    if shape.is_placeholder and len(lines) > 1:
        for level, mark, line in lines:
            yield Block(f"{'  ' * level}{mark or '- '}{line}", kind="list")
    elif lines:
        yield Block("\n".join(mark + line for _, mark, line in lines))


def _table(table: _Shape) -> str:
    rows = [
        [
            Cell("\n".join(map(_written, c.text_frame.paragraphs)), c.span_width, c.span_height)
            for c in row.cells
            if not c.is_spanned
        ]
        for row in table.rows
    ]
    return joined_cells(rows)


def _written(paragraph: _Shape) -> str:
    """Return a paragraph's text, raised, lowered and struck-out type as such."""
    parts = []
    for child in paragraph._p.content_children:  # noqa: SLF001 (a run's baseline has no other way)
        style = getattr(child, "rPr", None)
        off = "0" if style is None else style.get("baseline", "0").removesuffix("%")
        is_small = off.strip("0-.") and child.text.strip()
        side: Side = "_" if off.startswith("-") else "^"
        is_struck = style is not None and style.get("strike", "noStrike") != "noStrike"
        text = struck(child.text) if is_struck else child.text
        parts.append(marked(side, text) if is_small else text)
    return written("".join(parts))


def _clean(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
