"""DOCX files: what is in them, and what is wrong with them."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from research_agent.documents.adapters.office.docx import parse_docx
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument
from tests.documents import made_files as made

DOCUMENT = "word/document.xml"


def saved(fill: Callable[[docx.document.Document], object]) -> bytes:
    document = docx.Document()
    fill(document)
    stream = BytesIO()
    document.save(stream)
    return stream.getvalue()


def changed(data: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a file with one of its parts changed."""
    stream = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(stream, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return stream.getvalue()


EMPTY = saved(lambda _: None)


def said(text: str, more: str = "", style: str = "Normal") -> str:
    """Return a paragraph in XML."""
    style = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>'
    return f"<w:p>{style}<w:r><w:t>{text}</w:t></w:r>{more}</w:p>"


def table(*rows: Sequence[str]) -> str:
    """Return a table in XML; its cells are paragraphs and tables in XML, or text."""
    cells = (
        "".join(f"<w:tc>{cell if cell.startswith('<') else said(cell)}</w:tc>" for cell in row)
        for row in rows
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def read(*body: str) -> ParsedDocument:
    """Return what is read of paragraphs and tables in XML."""
    begun = b"<w:body>" + "".join(body).encode()
    return parse_docx(changed(EMPTY, DOCUMENT, lambda xml: xml.replace(b"<w:body>", begun)))


def guide(document: docx.document.Document) -> None:
    document.core_properties.title = "A guide"
    document.core_properties.created = datetime(2026, 5, 4, tzinfo=UTC)
    document.add_heading("Bread", 1)
    document.add_paragraph("Bread is baked.")
    document.add_heading("Rye", 2)
    for text in ("flour", "water"):
        document.add_paragraph(text, style="List Bullet")
    for text in ("mix", "bake"):
        document.add_paragraph(text, style="List Number")
    table = document.add_table(rows=2, cols=3)
    for row, texts in zip(
        table.rows, (("", "minutes", "degrees"), ("rye", "90", "230")), strict=True
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.add_heading("Wheat", 1)
    document.add_paragraph("Wheat takes an hour.")


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def told(document: ParsedDocument) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.kind, block.text, block.section) for block in document.blocks]


def test_headings_lists_tables_and_properties() -> None:
    """Everything comes in the order of the text, below its headings."""
    document = parse_docx(saved(guide))
    rye = ("Bread", "Rye")

    assert ("A guide", "2026-05-04") == (document.title, document.date)
    assert [
        ("text", "Bread", ("Bread",)),
        ("text", "Bread is baked.", ("Bread",)),
        ("text", "Rye", rye),
        ("list", "- flour", rye),
        ("list", "- water", rye),
        ("list", "1. mix", rye),
        ("list", "2. bake", rye),
        ("table", "| minutes | degrees\nrye | 90 | 230", rye),
        ("text", "Wheat", ("Wheat",)),
        ("text", "Wheat takes an hour.", ("Wheat",)),
    ] == told(document)


LISTS = """<w:abstractNum {word} w:abstractNumId="90"><w:styleLink w:val="Clauses"/>
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
<w:lvl w:ilvl="3"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>"""
NUMBERED = """<w:num {word} w:numId="91"><w:abstractNumId w:val="90"/></w:num>"""
STYLED = """<w:abstractNum {word} w:abstractNumId="93"><w:numStyleLink w:val="Clauses"/>
</w:abstractNum>"""
NUMBERED_SO = """<w:num {word} w:numId="93"><w:abstractNumId w:val="93"/></w:num>"""
BEGUN = """<w:num {word} w:numId="92"><w:abstractNumId w:val="90"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>"""


def test_numbers_of_headings_and_clauses() -> None:
    """They are counted over headings and paragraphs of a list, empty ones too, as Word does."""

    def contract(document: docx.document.Document) -> None:
        numbering = document.part.numbering_part.element
        for kind in (LISTS, STYLED):
            numbering.insert(0, parse_xml(kind.format(word=nsdecls("w"))))
        for number in (NUMBERED, NUMBERED_SO, BEGUN):
            numbering.append(parse_xml(number.format(word=nsdecls("w"))))
        for text, name, level in (
            ("Terms", 91, 0), ("Fee means", 91, 1), ("the base;", 91, 2), ("more.", 91, 2),
            ("Payment", 91, 0), ("Customer pays.", 91, 1), ("at once", 91, 3), ("Last", 92, 0),
            ("Of no list", 99, 0), ("Fees", 93, 0), ("", 93, 1), ("of the style", 93, 1),
        ):  # fmt: skip
            style = "Heading 1" if text in ("Terms", "Payment") else None
            paragraph = document.add_paragraph(text, style)
            of = f'<w:ilvl w:val="{level}"/><w:numId w:val="{name}"/>'
            xml = f"<w:numPr {nsdecls('w')}>{of}</w:numPr>"
            paragraph._p.get_or_add_pPr().append(parse_xml(xml))  # noqa: SLF001 (it has no other way)

    blocks = parse_docx(saved(contract)).blocks
    assert [
        "I. Terms", "  I.1 Fee means", "    (a) the base;", "    (b) more.", "II. Payment",
        "  II.1 Customer pays.", "      - at once", "VII. Last", "1. Of no list",
        "I. Fees", "  I.2 of the style",
    ] == [block.text for block in blocks]  # fmt: skip
    assert ("II. Payment",) == blocks[5].section


CHART = """<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="{}"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>"""


def test_numbers_of_cells_diagrams_and_charts() -> None:
    """A column that Word numbers has its numbers; a diagram is a list, a chart is a table."""

    def planned(document: docx.document.Document) -> None:
        document.add_paragraph("first", "List Number")
        table = document.add_table(rows=2, cols=2)
        for row, text in zip(table.rows, ("knead", "bake"), strict=True):
            row.cells[0].paragraphs[0].style = "List Number"
            row.cells[1].text = text
        document.add_paragraph("last", "List Number")
        with ZipFile(BytesIO(made.deck())) as deck:
            chart = next(deck.read(name) for name in deck.namelist() if "charts/chart" in name)
        for shape, drawn in ((made.SHOWN, made.diagram()), (CHART, chart), (CHART, b"<")):
            name = PackURI(f"/word/drawn/data{len(drawn)}.xml")
            data = Part(name, "application/xml", drawn, document.part.package)
            shown = shape.format(document.part.relate_to(data, "drawn"))
            run = document.add_paragraph().add_run()
            run._r.append(parse_xml(f"<w:drawing {nsdecls('w')}>{shown}</w:drawing>"))  # noqa: SLF001 (as above)

    steps = ["1. first", "2. | knead\n3. | bake", "4. last"]
    drawn = ["- knead", "  - by hand", "- bake", "| loaves\n2024 | 3.5\n2025 |"]
    assert steps + drawn == texts(parse_docx(saved(planned)))


def test_joined_cells() -> None:
    """A name is in every place that its cell covers; cells may be controls of a form."""

    def priced(document: docx.document.Document) -> None:
        table = document.add_table(rows=4, cols=3)
        table.cell(0, 0).merge(table.cell(1, 0)).text = "Zone"
        table.cell(0, 1).merge(table.cell(0, 2)).text = "Price"
        for column, name in enumerate(("Child", "Adult"), start=1):
            table.cell(1, column).text = name
            table.cell(2, column).text = str(column)
            table.cell(3, column).text = str(column + 2)
        table.cell(2, 0).merge(table.cell(3, 0)).text = "A"

    control = rb"<w:sdt><w:sdtContent>\g<0></w:sdtContent></w:sdt>"
    data = changed(
        saved(priced), DOCUMENT, lambda xml: re.sub(rb"(?s)<w:tc>.*?</w:tc>", control, xml)
    )
    assert ["Zone | Price Child | Price Adult\nA | 1 | 2\nA | 3 | 4"] == texts(parse_docx(data))


def test_a_row_that_begins_at_a_later_column() -> None:
    """Its cells are in the columns that they are seen in."""
    late = "<w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>"
    body = table(("Name", "Q1", "Q2"), ("North", "1", "2"), ("3", "4"))
    assert ["Name | Q1 | Q2\nNorth | 1 | 2\n| 3 | 4"] == texts(
        read(late.join(body.rsplit("<w:tr>", 1)))
    )


def test_captions_of_tables() -> None:
    """The one before a table is its own, else the one after it; others are text."""
    first, second = (table((name, "Q1"), ("North", "1")) for name in "AB")
    one, two, figure = (said(text, style="Caption") for text in ("One", "Two", "A figure"))
    rows = ["Q1\nNorth | 1" for _ in "AB"]
    for body in ((one, first, two, second), (first, one, second, two)):
        found = texts(read(*body, said("So."), figure, said("It.")))
        assert [f"One\nA | {rows[0]}", f"Two\nB | {rows[1]}", "So.", "A figure", "It."] == found
    assert ["One"] == texts(read(table(("", ""), ("", "")), one))


MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def math(name: str, *below: str, sign: str = "") -> str:
    """Return an element of a formula; what is below it are elements, or the letters of a run."""
    signs = f"<m:{name}Pr>{sign}</m:{name}Pr>" if sign else ""
    inner = "".join(b if b.startswith("<") else f"<m:r><m:t>{b}</m:t></m:r>" for b in below)
    return f'<m:{name} xmlns:m="{MATH}">{signs}{inner}</m:{name}>'


SQUARE = math("sSup", math("e", "x"), math("sup", "2"))
FORMULA = math("oMath", SQUARE, "=", math("f", math("num", "a+b"), math("den", "c")))


def chosen(data: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'


LIMITS = math("sub", "i=1"), math("sup", "n")
CITIES = '<w:listEntry w:val="Rome"/><w:listEntry w:val="Oslo"/>'


def run(text: str, style: str = "") -> str:
    return f"<w:r><w:rPr>{style}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


RAISED, LOWERED = (f"<w:vertAlign w:val='{side}script'/>" for side in ("super", "sub"))
SMALL = run("10") + run("12", RAISED) + run(" H") + run("2", LOWERED) + run("O ") + FORMULA
LATER = run("8 months", "<w:strike w:val='0'/>")
STRUCK = run("6 ", "<w:strike/>") + run("weeks ", "<w:dstrike/>") + LATER
OLD = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
NEW = f"<w:ins>{run('new')}</w:ins><w:sdt><w:sdtContent>{run(' too')}</w:sdtContent></w:sdt>{OLD}"


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        (math("d", math("e", "a+b")) + math("sup", "2"), "(a+b)^2"),
        (math("rad", math("deg"), math("e", "x+1")), "√(x+1)"),
        (math("nary", *LIMITS, math("e", "i"), sign='<m:chr m:val="∑"/>'), "∑_{i=1}^{n}i"),
        (math("d", math("e", "a"), math("e", "b"), sign='<m:endChr m:val=""/>'), "(a|b"),
        (math("m", *(math("mr", math("e", a), math("e", "0")) for a in "xy")), "x, 0; y, 0"),
        ('<w:r><w:sym w:font="Symbol" w:char="F0B1"/><w:t>5</w:t></w:r>', "±5"),
        (chosen("<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>"), "☒"),
        (chosen("<w:checkBox><w:default w:val='0'/></w:checkBox>"), "☐"),
        (chosen(f"<w:ddList><w:result w:val='1'/>{CITIES}</w:ddList>"), "Oslo"),
        (chosen(f"<w:ddList>{CITIES}</w:ddList>"), "Rome"),
        (run("so") + run("not", "<w:vanish/>"), "so"),
        (STRUCK, "~~6 weeks~~ 8 months"),
        (SMALL, "10^12 H_{2}O x^2=(a+b)/c"),
        (NEW, "new too"),
    ],
)
def test_what_is_in_a_paragraph(xml: str, text: str) -> None:
    """Formulas, symbol fonts, ticked boxes, chosen entries, small and struck type.

    Insertions are read; hidden and deleted text is not.
    """
    xml = math("oMath", xml) if xml.startswith("<m:") else xml
    assert [f"Is: {text}"] == texts(read(said("Is:", run(" ") + xml)))


def test_notes_follow_what_refers_to_them() -> None:
    """A footnote and an endnote come below their paragraph, with the number that it shows."""
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kinds = ("footnote", "endnote")
    parts = {
        f"word/{kind}s.xml": f"""<w:{kind}s {word}><w:{kind} w:type="separator" w:id="0"><w:p/>
</w:{kind}><w:{kind} w:id="7"><w:p><w:r><w:t>Of the {kind}.</w:t></w:r></w:p>
</w:{kind}></w:{kind}s>"""
        for kind in kinds
    }
    marks = "".join(f'<w:r><w:{kind}Reference w:id="7"/></w:r>' for kind in kinds)
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    def noted(document: docx.document.Document) -> None:
        document.add_paragraph("Said.")
        document.add_paragraph("Next.")
        for kind in kinds:
            name = PackURI(f"/word/{kind}s.xml")
            blob = parts[name[1:]].encode()
            part = Part(name, f"{types}.{kind}s+xml", blob, document.part.package)
            document.part.relate_to(part, f"{relations}/{kind}s")

    data = changed(
        saved(noted),
        DOCUMENT,
        lambda xml: xml.replace(b"</w:r></w:p>", b"</w:r>" + marks.encode() + b"</w:p>", 1),
    )
    notes = ["1 Of the footnote.", "1 Of the endnote."]
    assert ["Said.^1^1", *notes, "Next."] == texts(parse_docx(data))


def test_text_boxes_follow_what_they_are_anchored_in() -> None:
    """They are no part of a heading or sentence; a heading in one holds in it alone."""
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    new, old = (
        f"<mc:{name} {mc}><w:txbxContent>%s</w:txbxContent></mc:{name}>"
        for name in ("Choice", "Fallback")
    )

    def box(*paragraphs: str) -> str:
        return f"<w:r>{new}{old}</w:r>".replace("%s", "".join(paragraphs))

    boxes = box(said("Aside", style="Heading2"), said("Note.", box(said("In it."))))
    boxes += box(said("Other."))
    document = read(said("Safety", boxes, "Heading1"), said("The end."))
    around, aside = ("Safety",), ("Safety", "Aside")
    assert ["Safety", "Aside", "Note.", "In it.", "Other.", "The end."] == texts(document)
    assert [around, aside, aside, aside, around, around] == [b.section for b in document.blocks]


def test_text_in_a_style_made_of_a_heading() -> None:
    """A style's own level holds before that of the style it is made of: body text has none."""

    def clauses(document: docx.document.Document) -> None:
        for name, level in (("Clause", 9), ("Part", 0)):
            style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
            style.base_style = document.styles["Heading 2"]
            xml = f'<w:outlineLvl {nsdecls("w")} w:val="{level}"/>'
            style.element.get_or_add_pPr().append(parse_xml(xml))
            document.add_paragraph(f"A {name}", style)

    blocks = parse_docx(saved(clauses)).blocks
    assert [(), ("A Part",)] == [block.section for block in blocks]


def test_tables_that_frame_their_text() -> None:
    """One cell, or a row of columns, is text as any other; its headings hold in their cell."""
    items = "".join(said(text, style="ListBullet") for text in ("mix", "bake"))
    inner = table(("Size", "Time"), ("S", "5"))
    code = table([said("def f(x):") + said("return x")])
    columns = table([said("Skills", style="Heading1") + items, said("Born 1990") + inner])
    assert [
        ("text", "def f(x):", ()),
        ("text", "return x", ()),
        ("text", "Skills", ("Skills",)),
        ("list", "- mix", ("Skills",)),
        ("list", "- bake", ("Skills",)),
        ("text", "Born 1990", ()),
        ("table", "Size | Time\nS | 5", ()),
        ("table", "Skills | Born", ()),
        ("table", "Step | Work\nA | Do: • mix • bake\nB | mix • bake\nC | mix", ()),
    ] == told(
        read(
            code,
            columns,
            table(("Skills", "Born")),
            table(
                ("Step", "Work"),
                ("A", said("Do:") + items),
                ("B", items),
                ("C", said("mix", style="ListBullet")),
            ),
        )
    )


def test_a_deleted_paragraph_is_not_counted() -> None:
    """An empty one in a list is, as Word counts it."""
    first, empty, last = (said(text, style="ListNumber") for text in ("mix", "", "bake"))
    gone = empty.replace("</w:pPr>", "<w:rPr><w:del/></w:rPr></w:pPr>")
    assert ["1. mix", "3. bake"] == texts(read(first, empty, gone, last))


def test_title_without_properties() -> None:
    """A paragraph in the style "Title" is the title, else the first heading is."""

    def titled(document: docx.document.Document) -> None:
        document.core_properties.title = ""
        document.add_heading("The title", 0)
        document.add_heading("Part", 1)

    document = parse_docx(saved(titled))
    assert "The title" == document.title
    assert [("text", "The title", ()), ("text", "Part", ("Part",))] == told(document)


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"rubbish",
        lambda data: data[: len(data) // 2],
        lambda data: changed(data, DOCUMENT, lambda xml: xml[:-30]),
        lambda data: changed(data, DOCUMENT, lambda _: b"<a/>"),
        lambda data: changed(data, "[Content_Types].xml", lambda _: b"<a/>"),
        lambda data: changed(data, "word/styles.xml", lambda _: b"<"),
        lambda data: changed(data, "_rels/.rels", lambda _: b"<Relationships/>"),
        lambda data: changed(data, "docProps/core.xml", lambda _: b"<"),
    ],
)
def test_damaged_files(damage: Callable[[bytes], bytes]) -> None:
    """What is no DOCX file, or half of one, is refused in a few words."""
    with pytest.raises(DocumentError, match="not a readable DOCX"):
        parse_docx(damage(saved(guide)))


def test_entities_are_not_expanded() -> None:
    """Entities that grow a thousandfold, or name a file, add nothing."""
    entities = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yyyy">]>'
    begun = b"<w:body>" + said("Text.&x;&y;").encode()
    data = changed(EMPTY, DOCUMENT, lambda xml: xml.replace(b"<w:body>", begun))
    data = changed(data, DOCUMENT, lambda xml: xml.replace(b"<w:doc", entities + b"<w:doc", 1))

    assert ["Text."] == texts(parse_docx(data))
