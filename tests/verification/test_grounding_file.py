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


def test_weights_fit_the_packaged_models_and_are_read_as_they_were_written(tmp_path: Path) -> None:
    path, model = tmp_path / "grounding.json", read_grounding()
    low, high = read_grounding(cross_encoder=CrossEncoder(MiniLM()).digest).unsure
    write_grounding(replace(model, limit=0.25), path)

    assert 0.0 < low < model.limit < high < 1.0
    assert replace(model, limit=0.25) == read_grounding(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [('"bias": ', '"bias": 1'), ("best_window", "other"), ("{", ""), ('"digest"', '"told"')],
)
def test_damaged_weights_are_refused(tmp_path: Path, before: str, after: str) -> None:
    """So are missing ones, and those of another cross-encoder."""
    path = tmp_path / "grounding.json"
    with pytest.raises(ModelMissingError, match=r"grounding\.json"):
        read_grounding(path)
    with pytest.raises(ModelMissingError, match="another cross-encoder"):
        read_grounding(cross_encoder="0")
    path.write_text(PATH.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ModelMissingError, match=r"grounding\.json, cannot be used") as caught:
        read_grounding(path)
    assert "--fit" in caught.value.hint
