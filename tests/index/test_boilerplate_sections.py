"""What only points elsewhere is kept in the ledger, and costs and is found by nothing."""

from pathlib import Path

from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from tests.index.desk import Desk

CONTENTS = "1 Bread . . . . . 3\n1.1 Rye . . . . . 4\n2 Cake . . . . . 9"


def test_contents_are_kept_but_not_embedded(tmp_path: Path) -> None:
    """The chunk can be read, has its kind, and no vector."""
    with LedgerWriter(tmp_path / "ledger.sqlite3", "mine", model="words") as writer:
        desk = Desk(tmp_path / "ledger.sqlite3", writer)
        desk.files.texts["/docs/bread.txt"] = CONTENTS
        desk.index()
        with LedgerReader(desk.ledger, "mine") as ledger:
            kinds = {chunk.kind for chunk in ledger.chunks(list(ledger.chunk_digests()))}
            vectors = ledger.vector_count()

    assert {"contents", "text"} == kinds
    assert 1 == vectors == len(desk.embedder.asked)
