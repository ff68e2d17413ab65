"""DOCX files: what is in them, and what is wrong with them."""

from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest

from research_agent.assembly import parsing
from research_agent.assembly.parsing import local_files, parse_file
from research_agent.documents.adapters.zipped import archive
from research_agent.documents.adapters.zipped.docx import parse_docx
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import ParsedDocument

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


def test_insertions_are_read_and_deletions_are_not() -> None:
    """A text under revision reads as it would with all changes taken; controls are looked into."""
    run = b"<w:r><w:t>%s</w:t></w:r>"
    kept = b"<w:ins>" + run % b"new" + b"</w:ins><w:sdt><w:sdtContent>" + run % b" too"
    gone = b"<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    data = changed(
        saved(lambda document: document.add_paragraph("Text: ")),
        DOCUMENT,
        lambda xml: xml.replace(
            b"</w:r></w:p>", b"</w:r>" + kept + b"</w:sdtContent></w:sdt>" + gone + b"</w:p>"
        ),
    )

    assert ["Text: new too"] == [block.text for block in parse_docx(data).blocks]


def test_title_without_properties() -> None:
    """A paragraph in the style "Title" is the title, else the first heading is."""

    def titled(document: docx.document.Document) -> None:
        document.core_properties.title = ""
        document.add_heading("The title", 0)
        document.add_heading("Part", 1)

    assert "The title" == parse_docx(saved(titled)).title
    assert [("text", "The title", ()), ("text", "Part", ("Part",))] == told(
        parse_docx(saved(titled))
    )


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


def test_a_file_that_would_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file grows to when it is unpacked is looked at before it is."""
    data = changed(saved(guide), DOCUMENT, lambda xml: xml + b" " * 20_000_000)
    assert len(data) < 200_000
    monkeypatch.setattr(archive, "UNPACKED_MB", 10)

    with pytest.raises(DocumentError, match="it would fill 21 MB when unpacked"):
        parse_docx(data)


def test_entities_are_not_expanded() -> None:
    """Entities that grow a thousandfold, or name a file, add nothing."""
    entities = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yyyy">]>'
    data = changed(
        saved(lambda document: document.add_paragraph("Text.")),
        DOCUMENT,
        lambda xml: xml.replace(b"<w:document", entities + b"<w:document", 1).replace(
            b"Text.", b"Text.&x;&y;"
        ),
    )

    assert ["Text."] == [block.text for block in parse_docx(data).blocks]


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A DOCX file is skipped with the command that installs what reading it takes."""
    path = tmp_path / "a.docx"
    path.write_bytes(saved(guide))
    assert 1 == len(local_files(DocumentSettings()).find([str(tmp_path)]).files)
    monkeypatch.setattr(parsing, "find_spec", lambda _: None)
    (skipped,) = local_files(DocumentSettings()).find([str(tmp_path)]).skipped

    assert "pip install 'research-agent[office]'" in skipped.reason
    with pytest.raises(DocumentError, match=r"research-agent\[office\]"):
        parse_file(str(path))
