"""`research-agent documents`: what an index holds, and how well each file could be read."""

from pathlib import Path

import pytest

from tests.documents.small_pdf import small_pdf
from tests.interfaces.commands import GUIDE, printed, run

LINES = [(50, 600 - 14 * i, 12, f"Line number {i} of a page.") for i in range(4)]


@pytest.fixture
def docs(tmp_path: Path, data_home: Path) -> Path:
    assert not data_home.exists()
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(f"{GUIDE}\n| a | b | c |\n|-|-|-|\n| 1 | 2 | 3 |\n")
    (folder / "copy.md").write_bytes((folder / "guide.md").read_bytes())
    (folder / "scan.pdf").write_bytes(small_pdf([[]]))
    drawn = b"<< /Length 17 >>\nstream\n0 0 m 100 100 l S"
    half = small_pdf([LINES, []], info="/Title (Half a scan) /CreationDate (D:2024)")
    (folder / "half.pdf").write_bytes(half.replace(b"<< /Length 0 >>\nstream\n", drawn))
    assert 3 == run("index", str(folder)).exit_code
    return folder


def test_documents_are_listed(docs: Path) -> None:
    """Each has its title and date, pages, tables, chunks by kind, and what is wrong with it."""
    lines = run("documents").stdout.splitlines()
    half = lines.index("half: Half a scan \N{MIDDLE DOT} 2024-01-01")

    assert [
        f"    {docs / 'half.pdf'}",
        "    2 pages, 1 of them without text; 0 tables; 1 chunks (1 text)",
        "    warning: 1 of 2 pages have no text (scanned?)",
        "    hint: give it a text with OCR (ocrmypdf IN.pdf OUT.pdf), and index it again",
    ] == lines[half + 1 : half + 5]
    assert "    1 tables; 3 chunks (1 table, 2 text)" in lines
    assert "3 documents, 7 chunks; 1 without text" == lines[-1]


def test_a_file_without_text_has_a_hint(docs: Path) -> None:
    """A scan is no document of the index, but it is listed with its cure."""
    lines = run("documents").stdout.splitlines()
    scan = lines.index(str(docs / "scan.pdf"))

    assert "    failed: no text in it; it looks scanned: run OCR first" == lines[scan + 1]
    assert lines[scan + 2].startswith("    hint: give it a text with OCR")


def test_the_same_file_under_two_names(docs: Path) -> None:
    """Both are documents of their own, with chunks of their own, and nothing is embedded twice."""
    told = {document["doc_id"]: document for document in printed(run("documents", "--json"))}

    assert told["copy"]["digest"] == told["guide"]["digest"]
    assert {"table": 1, "text": 2} == told["copy"]["kinds"] == told["guide"]["kinds"]
    assert str(docs / "copy.md") == told["copy"]["path"]


def test_json(docs: Path) -> None:
    """As JSON every document has its quality, its status and its hint."""
    told = {document["path"]: document for document in printed(run("documents", "--json"))}
    half, scan = told[str(docs / "half.pdf")], told[str(docs / "scan.pdf")]

    assert (2, 1, 0) == tuple(half["quality"][key] for key in ("pages", "textless", "tables"))
    assert ("failed", None) == (scan["status"], scan["quality"])
    assert "OCR" in scan["hint"]
    assert "OCR" in half["hint"]


def test_no_index(tmp_path: Path, data_home: Path) -> None:
    """Where there is no index, the command that makes one is named."""
    assert not data_home.exists()
    result = run("documents", "--index", str(tmp_path / "none"))

    assert 1 == result.exit_code
    assert "research-agent index" in result.stderr
