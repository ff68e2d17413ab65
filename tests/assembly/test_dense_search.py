"""Whatever becomes of the search files, a question is answered, and the index says how."""

from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly import index_search
from research_agent.assembly.index import LatestIndex, OpenIndex
from research_agent.index.adapters.folders import Edition, locate
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.index.exact_vectors import ExactVectors
from research_agent.settings import IndexSettings, Settings
from tests import indexing
from tests.fakes import embedding
from tests.indexing import update

APPROXIMATE = replace(Settings(), index=IndexSettings(exact_below=0))


@pytest.fixture
def edition(tmp_path: Path, data_home: Path) -> Edition:
    """Return the files of an index of forty chunks, with a vector cache."""
    assert not data_home.exists()
    (tmp_path / "docs").mkdir()
    text = "\n\n".join(f"{number} is a number of colour {number % 7}." for number in range(40))
    (tmp_path / "docs" / "numbers.txt").write_text(text)
    update(tmp_path / "docs", settings=APPROXIMATE)
    return locate("default").current()


def opened() -> OpenIndex:
    return indexing.opened(settings=APPROXIMATE)


def answer(found: OpenIndex) -> tuple[str, ...]:
    """Return what dense and word search put first, and the similarity of the former."""
    question = "17 is a number"
    hits = found.vectors.search(embedding(question), k=1)
    words = found.lexical.search(question, k=3)
    similar = found.vectors.similarities(embedding(question), [hit.chunk_id for hit in words])
    return (*(hit.chunk_id for hit in hits), words[0].chunk_id, f"{similar[0]:.6f}")


def test_many_vectors_are_not_indexed_while_someone_waits(
    edition: Edition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where making the files anew takes long it is left to `research-agent index`."""
    with opened() as found:
        expected = answer(found)
    (edition.vectors / "1" / "current.json").unlink()
    monkeypatch.setattr(index_search, "REMADE_AT_ONCE", 39)
    for _ in range(2):
        with opened() as found:
            assert (expected, ExactVectors) == (answer(found), type(found.vectors))
            assert "Make them again: research-agent index PATH" in found.warnings[0]
    update(tmp_path / "docs", settings=APPROXIMATE)
    with opened() as found:
        assert (ApproximateVectors, ()) == (type(found.vectors), found.warnings)


@pytest.mark.parametrize("damaged", ["vectors", "words"])
def test_damage_that_shows_at_a_question_is_survived(edition: Edition, damaged: str) -> None:
    """The index is opened again, and the damaged file made anew; the answer is the same."""
    question = "17 is a number"
    latest = LatestIndex(opened)

    def found() -> list[str]:
        dense = latest.search(embedding(question), k=1)
        return [hit.chunk_id for hit in (*dense, *latest.lexical.search(question, k=1))]

    expected = found()
    with pytest.MonkeyPatch.context() as patched:
        if damaged == "vectors":
            patched.setattr("chromadb.api.models.Collection.Collection.query", broken)
            patched.setattr(index_search, "REMADE_AT_ONCE", 39)
        else:
            data = bytearray(edition.words.read_bytes())
            data[3 * 4096 :] = bytes(len(data) - 3 * 4096)
            edition.words.write_bytes(data)
        assert expected == found()
    assert expected == found()
    assert (damaged == "vectors") == bool(latest.warnings)
    latest.close()


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("disk image is malformed")
