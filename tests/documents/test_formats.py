"""Slides, workbooks, CSV, books, notebooks and mail: their text, its places, and bad files."""

import re
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from research_agent.assembly import parsing
from research_agent.assembly.parsing import local_files, parse_bytes, parse_file
from research_agent.documents.adapters import office
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.evidence import place, readable
from tests.documents import made_files as made
from tests.documents.small_pdf import small_pdf
from tests.documents.test_docx import math

OLE = office.OLE + bytes(512)
BOMB = made.archive({str(n): bytes(1_000_000) for n in range(3)})
LOCKED = '<e><CipherReference URI="OPS/ch2.xhtml"/></e>'
LAYERS = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 10))
ENTITIES = f'<!DOCTYPE a [<!ENTITY x0 "{"x" * 100}">{LAYERS}]><a>&x9;</a>'


def unpacked(data: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def places(data: bytes, name: str) -> list[tuple[str, str]]:
    """Return the place of each chunk, and how its text begins for a model."""
    document = parse_bytes(data, Path(name).suffix)
    chunks = linked_chunks("k", Path(name).stem, document, source=f"/d/{name}", chunk_chars=1000)
    return [(place(chunk), readable(chunk)) for chunk, _ in chunks]


def test_a_chunk_of_a_deck_names_its_slide() -> None:
    """Bullets, notes, tables and charts are read; every slide is a page of its own."""
    found = places(made.deck(), "deck.pptx")

    assert [
        ("deck, slide 1, section Bread", "Bread"),
        ("deck, slide 2, section Rye", "Rye\n\n- sour\n- dark\n\nNotes: Say it slowly."),
        ("deck, slide 3, section Figures", "rye: minutes = 90; degrees = 230"),
        ("deck, slide 3, section Figures", "2024: loaves = 3.5\n2025"),
    ] == found


def test_a_chart_of_any_kind_keeps_its_numbers() -> None:
    """A kind that the library does not know costs nothing, and large numbers are not rounded."""
    parts = unpacked(made.deck())
    chart = next(name for name in parts if name.startswith("ppt/charts/chart"))
    xml = parts[chart].replace(b"barChart>", b"bar3DChart>").replace(b">3.5<", b">98765432.5<")
    found = places(made.archive({**parts, chart: xml}), "deck.pptx")

    assert ("deck, slide 3, section Figures", "2024: loaves = 98765432.5\n2025") == found[-1]


def test_joined_cells_small_type_and_formulas_of_a_slide() -> None:
    """A name is in every place that its cell covers; exponents and indices have their mark.

    A box that only newer programs show is read once, with the formula in its line.
    """
    parts = unpacked(made.joined_deck())
    drawing = "http://schemas.microsoft.com/office/drawing/2010/main"
    box = re.findall(rb"<p:sp>.*?</p:sp>", xml := parts["ppt/slides/slide1.xml"])[0]
    drawn = f'<a14:m xmlns:a14="{drawing}">{math("oMath", "E=m")}</a14:m></a:p>'
    newer = """<mc:AlternateContent
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">
<mc:Choice Requires="a14">%b</mc:Choice><mc:Fallback>%b</mc:Fallback></mc:AlternateContent>"""
    both = newer.encode() % (box.replace(b"</a:p>", drawn.encode()), box)
    newer_deck = made.archive({**parts, "ppt/slides/slide1.xml": xml.replace(box, both)})

    for deck, formula in ((made.joined_deck(), ""), (newer_deck, "E=m")):
        assert [
            ("deck, slide 1", f"10^12 H_{{2}}O ~~here~~{formula}"),
            ("deck, slide 1", "A: Price Child = 1; Price Adult = 2"),
        ] == places(deck, "deck.pptx")


def test_numbers_and_diagrams_of_a_slide() -> None:
    """Items keep their numbers; the words of a diagram stand in its order, not in the file's."""
    ((_, text),) = places(made.numbered_deck(), "deck.pptx")

    lists = "1. mix\n  - with salt\n2. bake", "c) eat\nd) sleep", "- knead\n  - by hand\n- bake"
    assert "\n\n".join(lists) == text


def test_chapters_come_in_reading_order_under_their_names_in_the_contents() -> None:
    """The book's title and day are known; one that is missing costs only itself."""
    document = parse_bytes(made.epub(), ".epub")

    assert ("Bread", "1912-05-04") == (document.title, document.date)
    undated = parse_bytes(
        made.epub(**{"OPS/a.opf": made.PACKAGE.replace("1912-", "May ")}), ".epub"
    )
    assert "" == undated.date
    assert [
        ("Flour", ("Wheat", "Flour")),
        ("Wheat is mild.", ("Wheat", "Flour")),
        ("Rye is sour.", ("Rye",)),
    ] == [(block.text, block.section) for block in document.blocks]
    less = parse_bytes(made.epub(**{"OPS/a.opf": made.PACKAGE.replace("ch%201", "9")}), ".epub")
    assert (document.blocks[:2], ("OPS/9.xhtml cannot be read",)) == (less.blocks, less.warnings)


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"OPS/nav.xhtml": "<nav>Rye&nbsp;</nav>"}, "OPS/nav.xhtml"),
        ({"OPS/nav.xhtml": f"<x><nav>{'<ol>' * 5000}{'</ol>' * 5000}</nav></x>"}, "OPS/nav.xhtml"),
        ({"OPS/a.opf": made.PACKAGE.replace("nav.xhtml", "gone.xhtml")}, "OPS/gone.xhtml"),
    ],
)
def test_damaged_contents_of_a_book_cost_only_the_names(changed: dict[str, str], path: str) -> None:
    """Its chapters are read, and a warning says why they have no names."""
    document = parse_bytes(made.epub(**changed), ".epub")

    assert [("Flour",), ("Flour",), ()] == [block.section for block in document.blocks]
    assert (f"the contents in {path} cannot be read",) == document.warnings


def book_sections(contents: str, *pages: str) -> list[tuple[str, tuple[str, ...]]]:
    blocks = parse_bytes(made.book(contents, *pages), ".epub").blocks
    return [(block.text, block.section) for block in blocks]


def test_a_file_without_a_name_goes_on_with_the_chapter_before() -> None:
    """It begins one of its own where its first heading is of the top level."""
    contents = '<x><nav><a href="0.xhtml">Rye</a></nav></x>'
    pages = "<p>dark", "<p>sour", "<h2>Uses</h2><p>bread", "<h1>Index</h1><p>a", "<p>b"

    assert [
        ("dark", ("Rye",)), ("sour", ("Rye",)), ("Uses", ("Rye", "Uses")),
        ("bread", ("Rye", "Uses")), ("Index", ("Index",)), ("a", ("Index",)), ("b", ()),
    ] == book_sections(contents, *pages)  # fmt: skip


def test_a_chapter_begins_at_its_anchor_within_a_file() -> None:
    """What stands before the first one is the end of the chapter before."""
    contents = """<x><nav><a href="0.xhtml">Rye</a><a href="1.xhtml#w">Wheat</a>
    <a href="1.xhtml#o">Oats</a></nav></x>"""
    page = "<p>sour</p><div id=w><p>mild</p><p>white</p></div><h1 id=o>Oats</h1><p>sweet"

    assert [
        ("dark", ("Rye",)), ("sour", ("Rye",)), ("mild", ("Wheat",)), ("white", ("Wheat",)),
        ("Oats", ("Oats",)), ("sweet", ("Oats",)),
    ] == book_sections(contents, "<p>dark", page)  # fmt: skip


@pytest.mark.parametrize(
    "contents",
    [
        """<x xmlns:e="http://www.idpf.org/2007/ops"><nav e:type="page-list">
        <a href="1.xhtml#p">7</a></nav><nav e:type="toc"><ol><li><a href="0.xhtml">Grain</a><ol>
        <li><a href="0.xhtml">Rye</a></li><li><a href="1.xhtml">Wheat</a></li></ol></li>
        <li><a href="2.xhtml">Salt</a></li></ol></nav></x>""",
        """<x><navMap><navPoint><navLabel><text>Grain</text></navLabel><navPoint>
        <navLabel><text>Rye</text></navLabel><content src="0.xhtml"/></navPoint><navPoint>
        <navLabel><text>Wheat</text></navLabel><content src="1.xhtml"/></navPoint></navPoint>
        <navPoint><navLabel><text>Salt</text></navLabel><content src="2.xhtml"/></navPoint></navMap>
        <pageList><pageTarget><navLabel><text>7</text></navLabel><content src="1.xhtml#p"/>
        </pageTarget></pageList></x>""",
    ],
)
def test_a_chapter_is_below_the_part_that_has_it_in_the_contents(contents: str) -> None:
    """Lists of printed pages name none."""
    assert [
        ("dark", ("Grain", "Rye")), ("Wheat", ("Grain", "Wheat")), ("mild", ("Grain", "Wheat")),
        ("sea", ("Salt",)),
    ] == book_sections(contents, "<p>dark", "<h1>Wheat</h1><p id=p>mild", "<p>sea")  # fmt: skip


def test_a_chapter_is_xml() -> None:
    """An empty title ends at once, a note is text, and the number of a page is none."""
    page = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>Rye<br/>is
    <span epub:type="pagebreak">12</span>sour.</p>
    <aside epub:type="footnote">Very.</aside></body>"""
    blocks = parse_bytes(made.epub(**{"OPS/ch 1.xhtml": page}), ".epub").blocks
    assert ["Rye\nis sour.", "Very."] == [block.text for block in blocks[2:]]


def test_a_cell_of_a_notebook_is_a_page_below_the_headings_above() -> None:
    """Outputs are text; a long one is cut, and a warning says so."""
    document = parse_bytes(made.notebook(), ".ipynb")

    rye = ("Bread", "Rye")
    assert [
        ("Bread", 1, ("Bread",)), ("About it.", 1, ("Bread",)), ("bake()", 2, ("Bread",)),
        ("Output:\ndone", 2, ("Bread",)), ("Rye", 3, rye), ("Sour.", 3, rye), ("rye()", 4, rye),
        (f"Output:\n{'x' * 4000}\n…", 4, rye), ("More of it.", 5, rye),
    ] == [(b.text, b.page, b.section) for b in document.blocks]  # fmt: skip
    assert ("of 1 outputs the first 4000 characters were kept",) == document.warnings
    assert "n, cells 3-4, section Rye" in [where for where, _ in places(made.notebook(), "n.ipynb")]


def test_a_mail_is_read_with_what_is_attached() -> None:
    """Workbooks, PDFs and mails within it have places; what has no reader is named."""
    inner = made.mail(text="", html="<p>Inside</p>")
    pdf = small_pdf([[(50, 700, 12, "On paper.")]])
    files = (("a.xlsx", made.workbook()), ("p.pdf", pdf), ("i.eml", inner), ("x.bin", b"?"))
    document = parse_bytes(made.mail(*files), ".eml")

    assert ("Rye", "2026-05-04") == (document.title, document.date)
    assert ("attachment x.bin: no reader for .bin",) == document.warnings
    texts = {block.text: block.section for block in document.blocks}
    assert () == texts["Bake it."]
    assert ("attachment p.pdf",) == texts["On paper."]
    assert ("attachment i.eml",) == texts["Inside"]
    assert "Attachment: x.bin (not read)" in texts
    deep = made.mail()
    for _ in range(5):
        deep = made.mail(("deep.eml", deep))
    (warning,) = parse_bytes(deep, ".eml").warnings
    assert warning.endswith("deep.eml: it is within more than 3 other documents")
    found = places(made.mail(*files), "m.eml")
    assert "m, attachment a.xlsx, sheet Costs, rows 4-9" in [where for where, _ in found]


def test_what_is_attached_within_parts_of_a_mail() -> None:
    """Mails of lists and signed ones have parts in parts; a name without an ending has its type."""
    inner = message_from_bytes(made.mail(("a.csv", b"x,y\n1,2")), policy=policy.default)
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "list@example.org", "Rye"
    outer.set_content("On the list:")
    outer.make_mixed()
    for name in ("From", "To", "Subject", "Date"):
        del inner[name]
    outer.attach(inner)
    outer.add_attachment("z,w\n3,4", subtype="csv")
    said = "\n".join(text for _, text in places(b"\xef\xbb\xbf" + outer.as_bytes(), "m.eml"))

    for text in ("On the list:", "Bake it.", "row 2: x = 1; y = 2", "row 2: z = 3; w = 4"):
        assert text in said


def test_every_part_of_a_mail_is_read_in_order() -> None:
    """What a list adds below a page is not the mail; files lie also within its HTML half."""
    page, foot, table = (EmailMessage() for _ in range(3))
    page.set_content("<p>Read <b>me</b></p>", subtype="html")
    foot.set_content("Sent by the list")
    table.add_attachment("a,b\n1,2", subtype="csv", filename="t.csv")
    (sheet,) = table.iter_parts()

    def said(kind: str, *parts: EmailMessage | MIMEPart) -> list[str]:
        mail = EmailMessage()
        mail["Subject"], mail["Content-Type"] = "Rye", f"multipart/{kind}; boundary=x"
        mail.set_payload(list(parts))
        return [block.text for block in parse_bytes(mail.as_bytes(), ".eml").blocks[1:]]

    rows = "row | a | b\n2 | 1 | 2"
    assert ["Read me", "Sent by the list"] == said("mixed", page, foot)
    inner = EmailMessage()
    inner["Content-Type"] = "multipart/mixed; boundary=y"
    inner.set_payload([page, sheet])
    assert ["Sent by the list", rows] == said("alternative", foot, inner)
    assert ["Read me", rows, "Sent by the list"] == said("mixed", page, sheet, foot)


@pytest.mark.parametrize(
    ("html", "is_taken"),
    [
        ("Rye &amp; salt bread", False),
        ("Rye is 3.20. " * 9, True),
        (" ", False),
        ("\0" * 99, False),
    ],
)
def test_a_plain_text_that_only_stands_for_html(html: str, *, is_taken: bool) -> None:
    """HTML is taken where it says much more; where it cannot be read it costs nothing."""
    blocks = parse_bytes(made.mail(html=html, text="Read it online."), ".eml").blocks[1:]
    assert [html.strip() if is_taken else "Read it online."] == [block.text for block in blocks]


def test_pages_and_mails_that_name_a_smaller_encoding_than_they_have() -> None:
    """What is called Latin-1 or GB 2312 is read as browsers read it."""
    page = '<meta charset="{}"><p>{}'.format
    for name, encoding, text in (
        ("iso-8859-1", "cp1252", "5 \u20ac \u2013"),
        ("gb2312", "gbk", "\u6731\u9555\u57fa"),
    ):
        assert text == parse_bytes(page(name, text).encode(encoding), ".html").blocks[0].text
    xml = '<?xml version="1.0" encoding="windows-1251"?><p>\u0420\u043e\u0436\u044c</p>'
    assert "\u0420\u043e\u0436\u044c" == parse_bytes(xml.encode("cp1251"), ".html").blocks[0].text
    mail = b"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\n\n5 \x80 \x96\n"
    assert "5 \u20ac \u2013" == parse_bytes(mail, ".eml").blocks[-1].text


@pytest.mark.parametrize("name", [b"nobodys", b"undefined", b"idna", b"utf-8\0"])
def test_mail_in_an_unknown_character_set_is_read(name: bytes) -> None:
    """Its bytes are looked at, as those of a text file are."""
    head = b"Subject: Bread\nContent-Type: text/plain; charset=" + name
    blocks = parse_bytes(head + b"\n\nbaked at 230 \xc2\xb0C\n", ".eml").blocks
    assert "baked at 230 °C" in [block.text for block in blocks]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("kind", [b"", b"Content-Type: text/html\n"])
def test_mail_without_a_character_set_is_read(kind: bytes, encoding: str) -> None:
    """Its bytes are looked at, as those of a file are."""
    body = "Größe: 30 €".encode(encoding)
    assert "Größe: 30 €" == parse_bytes(b"Subject: a\n%b\n%b" % (kind, body), ".eml").blocks[1].text


@pytest.mark.parametrize(
    ("data", "ending", "reason"),
    [
        (OLE, ".xlsx", "it has a password, or is older than XLSX"),
        (OLE, ".pptx", "it has a password, or is older than PPTX"),
        (OLE, ".xls", "not a readable XLS"),
        (b"<Workbook>", ".xls", "not a readable XLS"),
        (made.far_workbook(), ".xls", "sheet1.xml reaches to XFD1048576: too far for a table"),
        (b"PK\3\4 half of", ".pptx", "not a readable PPTX"),
        (made.archive({"a": b"b"}), ".pptx", "not a readable PPTX"),
        (made.archive({"a": b"b"}), ".xlsx", "not a readable XLSX"),
        (made.archive({"xl/worksheets/a.xml": b"<c " * 500_000}), ".xlsx", "not a readable XLSX"),
        (made.archive({"a": b"b"}), ".epub", "not a readable EPUB"),
        (made.far_workbook("A6"), ".xlsx", "sheet1.xml reaches to XFD1048576: too far for a table"),
        (made.far_workbook(place="r = 'XFD99999'"), ".xlsx", "sheet1.xml reaches to XFD99999: too"),
        (made.epub(**{"META-INF/encryption.xml": LOCKED}), ".epub", "1 of its chapters are locked"),
        (made.epub(**{"META-INF/container.xml": ENTITIES}), ".epub", "not a readable EPUB"),
        (b"{}", ".ipynb", "not a readable notebook"),
        (b"[1]", ".ipynb", "not a readable notebook"),
        (b"not a mail", ".eml", "not a readable mail"),
        (b'a,b\n"' + b"x" * 200_000, ".csv", "not a readable table"),
    ],
)
def test_a_damaged_or_locked_file_is_refused_in_words(
    data: bytes, ending: str, reason: str
) -> None:
    """The reason names the format and what is wrong; office files say what to do."""
    with pytest.raises(DocumentError, match=f"^{reason}"):
        parse_bytes(data, ending)


@pytest.mark.parametrize("ending", [".docx", ".xlsx", ".pptx", ".epub"])
def test_an_archive_that_would_fill_the_memory_is_not_unpacked(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parts are summed up before one of them is read."""
    monkeypatch.setattr(office, "UNPACKED_MB", 2)
    with pytest.raises(DocumentError, match="it would fill 3 MB when unpacked, in 3 parts"):
        parse_bytes(BOMB, ending)


@pytest.mark.parametrize("ending", [".docx", ".pptx"])
def test_without_the_extra_the_line_says_what_to_install(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is skipped, and named with the reason."""
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"PK")
    assert 1 == len(local_files(DocumentSettings()).find([str(tmp_path)]).files)
    monkeypatch.setattr(parsing, "find_spec", lambda _: None)
    (skipped,) = local_files(DocumentSettings()).find([str(tmp_path)]).skipped

    assert "pip install 'research-agent[office]'" in skipped.reason
    with pytest.raises(DocumentError, match=r"research-agent\[office\]"):
        parse_file(str(path))
