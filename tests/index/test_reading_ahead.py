"""The next file is read while one is embedded: which one, when, and with the same result."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.ports import IndexingPorts
from research_agent.index.step import index_documents
from research_agent.types.documents import IndexReport, ParsedDocument
from tests.indexing import CuttingEmbedder, MemoryFiles

TEXTS = {name: f"The text of {name}." for name in "abcde"}


class Watched(MemoryFiles, CuttingEmbedder):
    """Files and a model that write down what is asked of them."""

    def __init__(self, **texts: str) -> None:
        MemoryFiles.__init__(self, **texts)
        CuttingEmbedder.__init__(self)
        self.seen: list[str] = []

    def begin(self, path: str) -> None:
        self.seen.append(f"begin {path[-5]}")

    def read(self, path: str) -> ParsedDocument:
        self.seen.append(f"read {path[-5]}")
        return super().read(path)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.seen.append("embed")
        return super().embed(texts)

    def index(self, writer: LedgerWriter, *, ahead: bool = True) -> IndexReport:
        ports = IndexingPorts(
            files=self,
            reader=self if ahead else SimpleNamespace(read=self.read),
            chunker=linked_chunks,
            embedder=self,
            windows=self,
            writer=writer,
        )
        return index_documents(["/docs"], ports=ports, chunk_chars=200)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[LedgerWriter]:
    with LedgerWriter(tmp_path / "ledger.sqlite3", "mine", model="words") as opened:
        yield opened


def test_files_that_need_not_be_read_are_passed_over(writer: LedgerWriter) -> None:
    """One file ahead, never two: the next changed or new one, whatever is between."""
    files = Watched(**TEXTS)
    files.index(writer)
    assert ["read a", "begin b", "embed", "read b", "begin c", "embed"] == files.seen[:6]
    assert ["begin e", "embed", "read e", "embed"] == files.seen[-4:]
    files.seen.clear()
    for name in "ae":
        files.write(f"/docs/{name}.txt", f"A new text of {name}.")
    report = files.index(writer)

    assert ["read a", "begin e", "embed", "read e", "embed"] == files.seen
    assert list("abcde") == [file.path[-5] for file in report.files]
    assert (2, 3) == (report.count("indexed"), report.count("unchanged"))


def test_same_reports_with_and_without(tmp_path: Path) -> None:
    """Copies, renamed files, unreadable ones: one after the other as without looking ahead."""
    reports = []
    for ahead in (True, False):
        files = Watched(**TEXTS, f="\0")
        with LedgerWriter(tmp_path / f"{ahead}.sqlite3", "mine", model="words") as writer:
            first = files.index(writer, ahead=ahead)
            files.move("/docs/b.txt", "/docs/z.txt")
            files.write("/docs/c.txt", TEXTS["a"])
            files.write("/docs/y.txt", "\0")
            del files.texts["/docs/d.txt"]
            reports.append((first, files.index(writer, ahead=ahead), writer.documents()))

    assert reports[0] == reports[1]
    assert 1 == reports[0][0].count("failed")


def test_an_error_of_a_file_ahead_comes_in_its_turn(
    writer: LedgerWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that vanishes is reported where it stands, and the next one is begun."""
    files = Watched(a=TEXTS["a"], b=TEXTS["b"], c=TEXTS["c"])
    digest = files.digest

    def vanishing(path: str) -> str:
        if path == "/docs/b.txt":
            raise DocumentError("it has vanished")
        return digest(path)

    monkeypatch.setattr(files, "digest", vanishing)
    report = files.index(writer)

    assert ["read a", "begin c", "embed", "read c", "embed"] == files.seen
    assert ["indexed", "failed", "indexed"] == [file.status for file in report.files]
