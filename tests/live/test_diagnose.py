"""`research-agent diagnose` with the embedded model."""

import json
from pathlib import Path

import pytest

from tests.interfaces.commands import GUIDE, in_a_process
from tests.needed import needed_weights

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("data_home")]


def test_right_chunk_makes_the_embedded_model_surer(tmp_path: Path) -> None:
    """It gives log-probabilities, and what only the document knows is a guess without it."""
    needed_weights("1.5b", "0.5b")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == in_a_process("index", "guide.md", folder=tmp_path).returncode
    done = in_a_process("diagnose", "How long does rye bread need?", "--json", folder=tmp_path)
    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout)
    alone, relevant = told["measurements"][:2]

    assert told["log_probabilities"]
    assert relevant["gain"] > 0
    assert "90" in relevant["text"]
    assert all(0 <= m["nu"] <= 1 and m["token_count"] > 0 for m in (alone, relevant))
