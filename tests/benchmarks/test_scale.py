"""The benchmark of large indexes makes one that can be opened."""

from pathlib import Path

import pytest

from benchmarks import scale
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.types import Chunk

CHUNKS = [Chunk(f"c{n}", "d", f"One is {n}. Two. Three.", title="Guide") for n in range(3)]


def test_made_up_chunks_are_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(scale, "real", lambda _cache: (CHUNKS, np.eye(3, 8)))

    built = scale.build({"cache": str(tmp_path), "chunks": 9})
    folder = locate(str(built["location"]))
    with LedgerReader(folder.current().ledger, folder.label) as ledger:
        assert ({}, 9) == (ledger.damaged(), ledger.header().chunks)
