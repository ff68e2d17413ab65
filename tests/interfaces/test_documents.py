"""`research-agent documents`: what an index holds, and how well each file could be read."""

from pathlib import Path

import pytest

from research_agent.assembly import scanned_pages
from tests.documents.small_pdf import small_pdf
from tests.interfaces.commands import GUIDE, printed, run

LINES = [(50, 600 - 14 * i, 12, f"Line number {i} of a page.") for i in range(4)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index of a table, its copy, a scan, and a PDF that is half a scan."""
    home = tmp_path_factory.mktemp("made")
    folder = home / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(f"{GUIDE}\n| a | b | c |\n|-|-|-|\n| 1 | 2 | 3 |\n")
    (folder / "copy.md").write_bytes((folder / "guide.md").read_bytes())
    empty, drawn = b"<< /Length 0 >>\nstream\n", b"<< /Length 17 >>\nstream\n0 0 m 100 100 l S"
    (folder / "scan.pdf").write_bytes(small_pdf([[]]).replace(empty, drawn))
    half = small_pdf([LINES, []], info="/Title (Half a scan) /CreationDate (D:2024)")
    (folder / "half.pdf").write_bytes(half.replace(empty, drawn))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(home))
        patched.setattr(scanned_pages, "find_spec", lambda _: None)
        assert 3 == run("index", str(folder)).exit_code
    return home


@pytest.fixture
def docs(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(made))
    monkeypatch.setattr(scanned_pages, "find_spec", lambda _: None)
    return made / "docs"


def test_documents_are_listed(docs: Path) -> None:
    """Each has its title and date, pages, tables, chunks by kind, and what is wrong with it."""
    lines = run("documents").stdout.splitlines()
    half = lines.index("half: Half a scan \N{MIDDLE DOT} 2024-01-01")

    assert [
        f"    {docs / 'half.pdf'}",
        "    2 pages, 1 of them without text, 0 tables, 1 chunks (1 text)",
        "    warning: 1 of 2 pages have no text (scanned?): page 2",
        "    hint: pip install 'research-agent[ocr]', and index it again",
    ] == lines[half + 1 : half + 5]
    assert "    1 tables, 3 chunks (1 table, 2 text)" in lines
    scan = lines.index(str(docs / "scan.pdf"))
    assert "    failed: no text in it; it looks scanned: run OCR first" == lines[scan + 1]
    assert lines[scan + 2].startswith("    hint: pip install 'research-agent[ocr]'")
    assert "3 documents, 7 chunks; 1 without text" == lines[-1]


def test_a_table_in_several_parts_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path))
    rows = "".join(f"{n},{'loaf ' * 20}\n" for n in range(24))
    (tmp_path / "loaves.csv").write_text(f"number,name\n{rows}")
    run("index", str(tmp_path / "loaves.csv"))

    assert "    1 tables, 3 chunks (3 table)" in run("documents").stdout


def test_json(docs: Path) -> None:
    """Quality, status and hint of every document; a copy is a document of its own."""
    told = {document["path"]: document for document in printed(run("documents", "--json"))}
    copy, guide = (told[str(docs / name)] for name in ("copy.md", "guide.md"))
    half, scan = told[str(docs / "half.pdf")], told[str(docs / "scan.pdf")]

    assert (2, 1, 0) == tuple(half["quality"][key] for key in ("pages", "textless", "tables"))
    assert ("failed", None) == (scan["status"], scan["quality"])
    assert "[ocr]" in scan["hint"]
    assert copy["digest"] == guide["digest"]
    assert {"table": 1, "text": 2} == copy["kinds"] == guide["kinds"]
    assert "[ocr]" in half["hint"]
