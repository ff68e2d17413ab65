"""The grounding benchmark leaves families out, and measures any file of the same format."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import grounding, grounding_fit
from benchmarks.__main__ import main
from benchmarks.common import Row
from benchmarks.grounding import data, fitted
from benchmarks.grounding_fit import Data, calibration_error, caught, left_out, marking_limit
from research_agent.evaluation.risk import auroc
from research_agent.verification.grounding import FEATURES
from tests.fakes import WordPairs

FAMILIES = ("one", "two", "three")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding_fit, "RESAMPLES", 20)


def rows() -> list[Row]:
    """Return 36 sentences of three families: half stand in their text."""
    made: list[Row] = []
    for family in FAMILIES:
        for number in range(20, 32):
            true = number % 2 == 0
            text = f"The kiln of {family} is fired at {number} degrees every week."
            said = text if true else f"The kiln of {family} costs {number + 50} coins in Ulm."
            made.append(
                {
                    "id": f"{family}-{number}",
                    "source": f"{family}-part",
                    "doc": number // 3,
                    "evidence": f"It rains. {text} It snows.",
                    "sentence": said,
                    "label": "supported" if true else "unsupported",
                }
            )
    return made


def measured() -> Data:
    return data(rows(), WordPairs())


def test_a_family_is_scored_by_what_was_fitted_on_the_others() -> None:
    """Turning the labels of one family round changes nothing of what is predicted for it."""
    found = measured()
    mine = found.family == "one"
    turned = np.where(mine, 1 - found.supported, found.supported)
    told = left_out(found.values, found.supported, found.family)[0]
    again = left_out(found.values, turned, found.family)[0]
    assert told[mine] == pytest.approx(again[mine])
    assert told[~mine] != pytest.approx(again[~mine])
    assert 1.0 == auroc(told, found.supported)


def test_the_weights_can_be_written_for_the_product() -> None:
    """One for each feature, and limits in order."""
    model = fitted(measured(), "rows", "models")
    assert len(FEATURES) == len(model.weights) == len(model.means) == len(model.scales)
    assert model.unsure[0] <= model.limit <= model.unsure[1]
    assert ("rows", "models") == (model.data, model.cross_encoder)


def test_the_command_writes_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real models: every family, both baselines, and what marks nothing or everything."""
    monkeypatch.setattr(grounding, "RESULTS", tmp_path)
    monkeypatch.setattr(grounding, "ROWS", tmp_path / "own.jsonl")
    text = "".join(f"{json.dumps(row)}\n" for row in rows())
    (tmp_path / "own.jsonl").write_text(text, encoding="utf-8")
    run = CliRunner().invoke(main, ["grounding"])
    assert 0 == run.exit_code, run.output
    text = (tmp_path / "grounding.md").read_text(encoding="utf-8")
    heads = [*(f"{family} | 12 (6)" for family in FAMILIES), "mark nothing", "mark everything"]
    assert all(f"| {head} |" in text for head in (*heads, "word coverage", "fitted score"))


def test_measures_are_what_they_are_called() -> None:
    """Ties count half; catches are counted at 10 % of the supported; sure and right is no error."""
    yes = np.array([1] * 10 + [0] * 10)
    told = np.concatenate([np.linspace(0.1, 1.0, 10), np.full(10, 0.05)])
    assert (1.0, 1.0) == (auroc(told, yes), caught(told, yes))
    assert 0.5 == auroc(np.ones(20), yes)
    assert caught(np.ones(20), yes) == pytest.approx(0.1)
    assert 0.0 == calibration_error(yes.astype(float), yes)
    family = np.array(["a"] * 20)
    assert marking_limit(told, yes, family, share=0.5) == pytest.approx(0.5)
