"""Whatever becomes of the search files, a question is answered, and the index says how."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly import index_search
from research_agent.assembly.index import LatestIndex, OpenIndex, open_index
from research_agent.assembly.updating import Indexer
from research_agent.documents.adapters.files import LocalFiles
from research_agent.index.adapters.folders import Edition, locate
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.index.exact_vectors import ExactVectors
from research_agent.settings import DocumentSettings, IndexSettings, Settings
from tests.fakes import WordEmbedder, embedding
from tests.indexing import PlainReader

APPROXIMATE = replace(Settings(), index=IndexSettings(exact_below=0))


@pytest.fixture
def edition(tmp_path: Path, data_home: Path) -> Edition:
    """Return the files of an index of forty chunks, with a vector cache."""
    assert not data_home.exists()
    (tmp_path / "docs").mkdir()
    text = "\n\n".join(f"{number} is a number of colour {number % 7}." for number in range(40))
    (tmp_path / "docs" / "numbers.txt").write_text(text)
    index()
    return locate("default").current()


def index() -> None:
    update(APPROXIMATE)


def update(settings: Settings) -> None:
    Indexer(
        settings=settings,
        embedder=WordEmbedder(),
        files=LocalFiles(DocumentSettings(), {".txt"}),
        reader=PlainReader(),
    ).update("default", [str(Path(locate("default").path.parents[2]) / "docs")])


@contextmanager
def opened(settings: Settings = APPROXIMATE) -> Iterator[OpenIndex]:
    with open_index("default", settings, embedder=WordEmbedder()) as found:
        assert isinstance(found, OpenIndex)
        yield found


def answer(found: OpenIndex) -> tuple[str, ...]:
    """Return what dense and word search put first, and the similarity of the former."""
    question = "17 is a number"
    hits = found.vectors.search(embedding(question), k=1)
    words = found.lexical.search(question, k=3)
    similar = found.vectors.similarities(embedding(question), [hit.chunk_id for hit in words])
    return (*(hit.chunk_id for hit in hits), words[0].chunk_id, f"{similar[0]:.6f}")


def test_many_vectors_are_not_indexed_while_someone_waits(
    edition: Edition, monkeypatch: pytest.MonkeyPatch
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
    index()
    with opened() as found:
        assert (ApproximateVectors, ()) == (type(found.vectors), found.warnings)


@pytest.mark.parametrize("damaged", ["vectors", "words"])
def test_damage_that_shows_at_a_question_is_survived(edition: Edition, damaged: str) -> None:
    """The index is opened again, and the damaged file made anew; the answer is the same."""
    question = "17 is a number"
    latest = LatestIndex(lambda: open_index("default", APPROXIMATE, embedder=WordEmbedder()))

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
