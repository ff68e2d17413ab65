"""What was fitted is kept whole, for its owner alone, and read as it was written."""

import json
import math
from dataclasses import asdict
from pathlib import Path

import pytest

from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.verification.adapters.calibration_file import (
    read_calibration,
    write_calibration,
)
from research_agent.verification.calibration import BYPASS, Calibration, Fingerprint, Threshold

FITTED = Threshold(value=0.35, rate=0.1, bound=0.08, passed=90, errors=1, questions=120)
KEPT = Calibration(
    fingerprint=Fingerprint(model="m", generation=3, changed="2026-11-01", settings="s"),
    made="2026-11-22T10:00:00+00:00",
    thresholds={BYPASS: FITTED},
)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    assert read_calibration(path) is None

    write_calibration(path, KEPT)
    write_calibration(path, KEPT)

    assert KEPT == read_calibration(path)
    assert (0o600, [path]) == (path.stat().st_mode & 0o777, list(tmp_path.iterdir()))


@pytest.mark.parametrize(
    "damage",
    [
        *("", "{", "[]", "7", '{"format": 1}', "\xff\x00", '{"format": 1, "thresholds": NaN}'),
        {"format": 2},
        {"mode": {"value": "extractive"}},  # (as versions before 0.1.0 fitted it)
        {"made": 7},
        {"thresholds": {"a": {"value": 1}}},
        {"thresholds": {BYPASS: {**asdict(FITTED), "value": math.nan}}},
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, damage: str | dict[str, object]) -> None:
    """A whole text, or fields that replace those of a file that was written."""
    path = tmp_path / "calibration.json"
    write_calibration(path, KEPT)
    kept = json.loads(path.read_text())
    text = damage if isinstance(damage, str) else json.dumps({**kept, **damage})
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(IndexDamagedError, match="cannot be read") as caught:
        read_calibration(path)
    assert "Make it anew: research-agent calibrate" == caught.value.hint


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match="cannot be written"):
        write_calibration(tmp_path / "gone" / "calibration.json", KEPT)

    assert [] == list(tmp_path.iterdir())
