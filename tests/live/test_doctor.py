"""`research-agent doctor` with the embedded model."""

from pathlib import Path

import pytest

from tests.interfaces.commands import GUIDE, run
from tests.needed import needed_weights

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("data_home")]


def test_a_healthy_set_up(tmp_path: Path) -> None:
    """Nothing is wrong, and the model gives log-probabilities."""
    needed_weights("1.5b", "0.5b")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "guide.md")).exit_code
    done = run("doctor")

    assert 0 == done.exit_code, done.output
    assert "gives log-probabilities" in done.stdout
    assert "faults: 0" in done.stdout
