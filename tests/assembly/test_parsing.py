"""Every kind of file, and every kind of bad one, through the sandboxed reader."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.assembly.parsing import READABLE, parse_file, reader
from research_agent.documents.adapters.sandbox import SandboxedReader
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from tests.documents.small_pdf import encrypted_pdf, small_pdf

PDF = small_pdf([[(50, 700, 12, "A page.")]])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxedReader]:
    with reader(DocumentSettings()) as found:
        yield found


@pytest.mark.parametrize(
    ("name", "data", "text", "kind"),
    [
        ("a.pdf", PDF, "A page.", "text"),
        ("a.PDF", PDF, "A page.", "text"),
        ("really_a_pdf.txt", PDF, "A page.", "text"),
        ("a.md", b"*Some* text.", "Some text.", "text"),
        ("a.html", "<p>gr\u00fcn".encode("latin-1"), "gr\u00fcn", "text"),
        ("a.htm", b'<meta charset="koi8-r"><p>\xd0\xd2', "\u043f\u0440", "text"),
        ("a.txt", "Gr\u00fc\u00dfe".encode("utf-16"), "Gr\u00fc\u00dfe", "text"),
        ("a.py", b"x = 1\n", "x = 1", "code"),
    ],
)
def test_formats(
    sandbox: SandboxedReader, tmp_path: Path, name: str, data: bytes, text: str, kind: str
) -> None:
    """The ending chooses the parser, and a PDF is known by how it begins."""
    path = tmp_path / name
    path.write_bytes(data)
    (block,) = sandbox.read(str(path)).blocks

    assert (text, kind) == (block.text, block.kind)
    assert path.suffix.lower() in READABLE


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("bad.pdf", b"rubbish", "not a readable PDF"),
        ("nothing.pdf", b"", "not a readable PDF"),
        ("cut.pdf", PDF[:200], "not a readable PDF"),
        ("secret.pdf", encrypted_pdf(), "encrypted; a password is needed"),
        ("scan.pdf", small_pdf([[]]), "no text in it: nothing is on its pages"),
        ("program.txt", b"\x7fELF\x02\x01\x01" + bytes(500), "binary data in a text file"),
        ("picture.md", b"\x89PNG\r\n\x1a\n" + bytes(500), "binary data in a text file"),
    ],
)
def test_bad_files_have_a_reason(
    sandbox: SandboxedReader, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    """One short line says what is wrong, and the next file is read."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        sandbox.read(str(tmp_path / name))

    assert reason == str(caught.value)


def test_missing_and_empty_files(sandbox: SandboxedReader, tmp_path: Path) -> None:
    """A file that went away is an error; an empty one is a document without blocks."""
    (tmp_path / "empty.txt").touch()

    assert () == parse_file(str(tmp_path / "empty.txt")).blocks
    with pytest.raises(DocumentError, match="it has vanished"):
        sandbox.read(str(tmp_path / "gone.txt"))
    with pytest.raises(DocumentError, match="cannot be read"):
        sandbox.read(str(tmp_path))


def test_warnings_of_decoding_are_kept(tmp_path: Path) -> None:
    """A guessed encoding is reported with the document."""
    (tmp_path / "a.txt").write_bytes("gr\u00fcn".encode("latin-1"))
    (tmp_path / "b.md").write_bytes(b"# T\n\nnu\0l")

    assert ("not UTF-8: read as Windows-1252 (Latin-1)",) == parse_file(
        str(tmp_path / "a.txt")
    ).warnings
    assert ("NUL bytes were left out",) == parse_file(str(tmp_path / "b.md")).warnings


@pytest.mark.parametrize("ending", [".txt", ".md", ".html", ".py", ".json"])
def test_a_line_of_400_kb(sandbox: SandboxedReader, tmp_path: Path, ending: str) -> None:
    """One endless line is read and cut in well under a few seconds, in every text format."""
    path = tmp_path / f"long{ending}"
    path.write_text("word " * 80_000)
    start = time.perf_counter()
    document = sandbox.read(str(path))
    chunks = linked_chunks("key", "doc", document, source=str(path), chunk_chars=1000)

    assert 80_000 == sum(chunk.text.count("word") for chunk, _ in chunks)
    assert max(len(chunk.text) for chunk, _ in chunks) <= 4000
    assert time.perf_counter() - start < 30
