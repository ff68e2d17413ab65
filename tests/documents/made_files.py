"""Files of many formats, made in code."""

import json
from collections.abc import Mapping
from copy import deepcopy
from email.message import EmailMessage
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import xlsxwriter
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.util import Inches

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/a.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Bread</dc:title><dc:date>1912-05-04T00:00</dc:date></metadata><manifest>
<item id="a" href="ch%201.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="ch2.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
</manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>"""
NAV = """<html xmlns="http://www.w3.org/1999/xhtml"><body><nav><a href="ch%201.xhtml">Rye</a>
<a href="ch2.xhtml#x">Wheat</a></nav></body></html>"""


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return stream.getvalue()


def epub(**changed: str | bytes) -> bytes:
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OPS/a.opf": PACKAGE,
        "OPS/nav.xhtml": NAV,
        "OPS/ch 1.xhtml": "<p>Rye is sour.</p>",
        "OPS/ch2.xhtml": "<h2>Flour</h2><p>Wheat is mild.</p>",
    }
    return archive(parts | changed)


def book(contents: str, *pages: str) -> bytes:
    """Return a book of pages 0.xhtml, 1.xhtml, … with what is in its table of contents."""
    items = "".join(
        f'<item id="p{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(pages))
    )
    spine = "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages)))
    nav = '<item id="n" href="nav.xhtml" properties="nav"/>'
    package = f"<package><manifest>{items}{nav}</manifest><spine>{spine}</spine></package>"
    parts: dict[str, str | bytes] = {f"OPS/{n}.xhtml": page for n, page in enumerate(pages)}
    return archive(
        {
            "META-INF/container.xml": CONTAINER,
            "OPS/a.opf": package,
            "OPS/nav.xhtml": contents,
            **parts,
        }
    )


def workbook() -> bytes:
    stream = BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet("Costs")
        sheet.merge_range("A1:C1", "Costs of bread")
        for row, cells in ((2, ("Item", "Price", "Day")), (3, ("Rye", 3, 7.5)), (5, ("Salt", 1))):
            sheet.write_row(row, 0, cells)
        sheet.merge_range("A8:A9", "Wheat")
        sheet.write_column("B8", [4, 5])
        book.add_worksheet("Empty")
    return stream.getvalue()


def far_workbook(cell: str = "B9", place: str = 'r="XFD1048576"') -> bytes:
    """Return a workbook that has one of its cells far away: B9, a number, or A6, a text.

    It is put there afterwards: to write a sheet of so many rows takes long.
    """
    with ZipFile(BytesIO(workbook())) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    far = parts[sheet].replace(f'r="{cell}"'.encode(), place.encode())
    return archive({**parts, sheet: far})


def deck() -> bytes:
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "Bread"
    second = slides.slides.add_slide(slides.slide_layouts[1])
    second.shapes.title.text = "Rye"
    second.placeholders[1].text = "sour\ndark"
    second.notes_slide.notes_text_frame.text = "Say it slowly."
    third = slides.slides.add_slide(slides.slide_layouts[5])
    third.shapes.title.text = "Figures"
    place = (Inches(1), Inches(2), Inches(4), Inches(2))
    table = third.shapes.add_table(2, 3, *place).table
    for at, text in enumerate(("", "minutes", "degrees", "rye", "90", "230")):
        table.cell(at // 3, at % 3).text = text
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["2024", "2025"]
    data.add_series("loaves", (3.5, None))  # type: ignore[no-untyped-call]
    third.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    for kept in list(third.slide_layout.placeholders)[1:]:  # (day, footer and number of the slide)
        third.shapes._spTree.append(deepcopy(kept._element))  # noqa: SLF001 (it has no other way)
        third.placeholders[kept.placeholder_format.idx].text_frame.text = "Of ACME"
    stream = BytesIO()
    slides.save(stream)
    return stream.getvalue()


def joined_deck() -> bytes:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    place = (Inches(1), Inches(2), Inches(4), Inches(2))
    paragraph = slide.shapes.add_textbox(*place).text_frame.paragraphs[0]
    for text, baseline in (("10", ""), ("12", "30000"), (" H", "0"), ("2", "-25000"), ("O", "")):
        run = paragraph.add_run()
        run.text = text
        if baseline:
            run.font._element.set("baseline", baseline)  # noqa: SLF001 (it has no other way)
    old = paragraph.add_run()
    old.text = " here"
    old.font._element.set("strike", "sngStrike")  # noqa: SLF001
    table = slide.shapes.add_table(3, 3, *place).table
    for at, text in enumerate(("", "Price", "", "", "Child", "Adult", "A", "1", "2")):
        table.cell(at // 3, at % 3).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    stream = BytesIO()
    slides.save(stream)
    return stream.getvalue()


def mail(*attached: tuple[str, bytes], html: str = "", text: str = "Bake it.\n") -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Ann <a@example.org>", "Bob <b@example.org>"
    message["Subject"], message["Date"] = "Rye", "Mon, 04 May 2026 10:00:00 +0200"
    if text:
        message.set_content(text)
    if html:
        (message.add_alternative if text else message.set_content)(html, subtype="html")
    for name, data in attached:
        message.add_attachment(data, maintype="application", subtype="x", filename=name)
    return message.as_bytes()


def notebook() -> bytes:
    cells: list[dict[str, object]] = [
        {"cell_type": "markdown", "source": ["# Bread\n", "About it."]},
        {"cell_type": "code", "source": "bake()", "outputs": [{"text": ["done\n"]}]},
        {"cell_type": "markdown", "source": "## Rye\n\nSour."},
        {"cell_type": "code", "source": "rye()", "outputs": [{"text": "x" * 9000}]},
        {"cell_type": "markdown", "source": "More of it."},
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


DRAWN = """<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>
<dgm:pt modelId="d" type="doc"/>{}</dgm:ptLst><dgm:cxnLst>{}</dgm:cxnLst></dgm:dataModel>"""
SHOWN = """<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">
<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">
<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="{}"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>
</a:graphicData></a:graphic>"""
"""What shows a diagram, the data of which is its relation of this name."""


def diagram() -> bytes:
    """Return the data of a diagram: knead (by hand), then bake; the file has them otherwise."""
    words = {"b": "bake", "h": "by hand", "k": "knead"}
    points = (
        f'<dgm:pt modelId="{name}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for name, text in words.items()
    )
    links = (("d", "b", 1), ("d", "k", 0), ("k", "h", 0), ("h", "k", 0), ("k", "gone", 1))
    drawn = (f'<dgm:cxn srcId="{a}" destId="{b}" srcOrd="{at}"/>' for a, b, at in links)
    return DRAWN.format("".join(points), "".join(drawn)).encode()


def numbered_deck() -> bytes:
    """Return a slide with a numbered list, a box that goes on at c, and a diagram."""
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    place = (Inches(1), Inches(2), Inches(4), Inches(2))
    frames = slide.placeholders[1].text_frame, slide.shapes.add_textbox(*place).text_frame
    kinds = ('type="arabicPeriod"', 'type="alphaLcParenR" startAt="3"')
    for frame, kind in zip(frames, kinds, strict=True):
        frame.text = "mix\nwith salt\nbake" if "arabic" in kind else "eat\nsleep"
        for paragraph in frame.paragraphs:
            paragraph.level = int(paragraph.text == "with salt")
            if not paragraph.level:
                number = parse_xml(f"<a:buAutoNum {nsdecls('a')} {kind}/>")
                paragraph._p.get_or_add_pPr().append(number)  # noqa: SLF001 (it has no other way)
    part = Part(
        PackURI("/ppt/diagrams/data1.xml"), "application/xml", slide.part.package, diagram()
    )
    shown = SHOWN.format(slide.part.relate_to(part, "diagramData"))
    frame = slide.shapes.add_table(1, 1, *place)._element  # noqa: SLF001 (it has no other way)
    frame.replace(frame.graphic, parse_xml(shown))
    stream = BytesIO()
    slides.save(stream)
    return stream.getvalue()
