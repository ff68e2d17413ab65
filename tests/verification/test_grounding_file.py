"""The fitted weights are read as they were written, or not at all."""

from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.verification.adapters.grounding_file import (
    PATH,
    read_grounding,
    write_grounding,
)


def test_the_packaged_weights_fit_the_packaged_models() -> None:
    model = read_grounding(cross_encoder=CrossEncoder(MiniLM()).digest)
    low, high = model.unsure
    assert 0.0 < low < model.limit < high < 1.0


def test_written_weights_are_read_again(tmp_path: Path) -> None:
    model = replace(read_grounding(), limit=0.25)
    write_grounding(model, tmp_path / "grounding.json")
    assert model == read_grounding(tmp_path / "grounding.json")


@pytest.mark.parametrize(
    ("before", "after"),
    [('"bias": ', '"bias": 1'), ("best_window", "other"), ("{", ""), ('"digest"', '"told"')],
)
def test_damaged_weights_are_refused(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "grounding.json"
    path.write_text(PATH.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ModelMissingError, match=r"grounding\.json, cannot be used") as caught:
        read_grounding(path)
    assert "--fit" in caught.value.hint


def test_missing_weights_and_another_cross_encoder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"none\.json"):
        read_grounding(tmp_path / "none.json")
    with pytest.raises(ModelMissingError, match="another cross-encoder"):
        read_grounding(cross_encoder="0")
