"""A shared index: published whole, read as it was opened, written by one at a time."""

from pathlib import Path

import pytest

from research_agent.errors import IndexLockedError
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.searching import SharedWords
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.shared.tables import rows_of
from research_agent.types import ScoredId
from research_agent.types.documents import SourceFile
from research_agent.types.references import Edge
from tests.index.shared_harness import document, put, texts, writing


@pytest.fixture
def location(tmp_path: Path) -> str:
    return f"lance:{tmp_path / 'shared'}"


def test_a_reader_sees_one_generation_until_it_asks_again(location: str) -> None:
    put(location, document("a", "old bread"), document("b", "cake"))
    reader = SharedReader(Storage.at(location))
    put(location, document("a", "new bread"))
    assert ["cake", "old bread"] == texts(location, reader)
    assert not reader.is_current()
    assert ["cake", "new bread"] == texts(location)


def test_what_was_put_is_seen_only_when_it_is_published(location: str) -> None:
    put(location, document("a", "bread"))
    with writing(location) as writer:
        writer.append([rows_of(*document("b", "cake"))])
        assert ["bread"] == texts(location)
    with writing(location) as writer:
        assert {"a": True, "b": False} == {d.key: d.published for d in writer.documents()}
        writer.publish({}, ())
    assert ["bread", "cake"] == texts(location)


def test_documents_are_moved_removed_and_linked(location: str) -> None:
    put(location, document("a", "bread", "end"), document("b", "cake"))
    with writing(location) as writer:
        writer.publish({"a": SourceFile("/docs/moved.txt", "/docs", 2, 2)}, ["b"])
    reader = SharedReader(Storage.at(location))
    first, last = reader.contents("moved")
    assert ("/docs/moved.txt", "bread", "end") == (first.source, first.text, last.text)
    assert [Edge(first.chunk_id, last.chunk_id, "link")] == reader.edges([last.chunk_id])
    assert [last] == reader.around(first.chunk_id, window=1)
    assert ["moved"] == [outline.doc_id for outline in reader.documents()]
    assert [] == SharedWords(reader).search("cake", k=3)
    assert [ScoredId] == [type(hit) for hit in SharedWords(reader).search("breads", k=3)]


def test_nothing_new_publishes_no_generation(location: str) -> None:
    put(location, document("a", "bread"))
    before = SharedReader(Storage.at(location)).header()
    put(location)
    assert before == SharedReader(Storage.at(location)).header()


def test_a_second_writer_is_refused_by_the_name_of_the_first(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research_agent.index.adapters.shared.generations.BEAT", 0.1)
    with writing(location), pytest.raises(IndexLockedError, match=r"written by process \d+ on"):
        put(location, document("a", "bread"))
