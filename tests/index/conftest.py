"""An empty ledger, and its writer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.index.adapters.ledger.writing import LedgerWriter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def writer(path: Path) -> Iterator[LedgerWriter]:
    with LedgerWriter(path, "mine", model="words") as opened:
        yield opened
