"""A snapshot of fixed questions: whoever changes the ranking sees it here."""

import json
from pathlib import Path

import pytest

from tests.benchmarks.snapshot.recorded import EXPECTED, VECTORS, RecordedEmbedder, search


@pytest.mark.usefixtures("data_home")
def test_fixed_questions_have_the_same_hits_as_before(tmp_path: Path) -> None:
    """Chunk ids and their order are those of the snapshot.

    After a change that is meant: `python -m tests.benchmarks.snapshot.recorded`.
    """
    embedder = RecordedEmbedder(json.loads(VECTORS.read_text(encoding="utf-8")))

    assert json.loads(EXPECTED.read_text(encoding="utf-8")) == search(embedder, tmp_path)
