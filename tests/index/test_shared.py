"""A shared index: published whole, read as it was opened, written by one at a time."""

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from research_agent.assembly.shared import compact
from research_agent.errors import IndexingError, IndexLockedError, IndexMismatchError, PathError
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.searching import SharedVectors, SharedWords
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.shared.tables import rows_of
from research_agent.index.exact_vectors import ExactVectors
from research_agent.types import ScoredId
from research_agent.types.documents import SourceFile
from research_agent.types.records import Window
from research_agent.types.references import Edge
from tests.index.shared_harness import document, put, texts, vector, writing

WRITING = "research_agent.index.adapters.shared.writing"


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
    before = SharedReader(Storage.at(location)).header()
    put(location)  # (nothing new is no new generation)
    assert before == SharedReader(Storage.at(location)).header()


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


@pytest.mark.parametrize("query", ["59100", "59,100"])
def test_numbers_are_found_with_and_without_marks(location: str, query: str) -> None:
    put(location, document("a", "59100 people", "59,100 people", "591 and 591000", "1 and 2"))
    reader = SharedReader(Storage.at(location))
    first = {hit.chunk_id for hit in SharedWords(reader).search(f"Who counted {query}?", k=2)}
    assert {"59100 people", "59,100 people"} == {
        chunk.text for chunk in reader.contents("a") if chunk.chunk_id in first
    }


def test_a_second_writer_is_refused_by_the_name_of_the_first(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research_agent.index.adapters.shared.generations.BEAT", 0.1)
    with writing(location), pytest.raises(IndexLockedError, match=r"written by process \d+ on"):
        put(location, document("a", "bread"))


def test_a_writer_that_falls_silent_is_succeeded_and_cannot_publish(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a machine that hangs: its lease no longer changes, whatever its clock says."""
    module = "research_agent.index.adapters.shared.generations"
    monkeypatch.setattr(f"{module}.SILENCE", 0.3)
    with writing(location) as silent:
        silent.append([rows_of(*document("a", "bread"))])
        put(location, document("b", "cake"))
        with pytest.raises(IndexLockedError, match="taken over by another writer"):
            silent.publish({}, ())
    assert ["bread", "cake"] == texts(location)


def test_a_killed_writer_loses_nothing_that_was_acknowledged(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one sees its whole documents, publishes them, and none of them twice."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.index.shared_harness", location],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    acknowledged = [child.stdout.readline().strip() for _ in range(3)]
    child.kill()
    child.communicate()
    monkeypatch.setattr("research_agent.index.adapters.shared.generations.SILENCE", 0.3)
    with writing(location) as writer:
        left = [record.key for record in writer.documents()]
        assert set(acknowledged) <= set(left)
        writer.publish({}, ())
    assert [f"text of {key}" for key in sorted(left)] == list(texts(location))


def test_rows_of_no_document_are_never_seen(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer failed between the chunks of a document and the document itself."""
    put(location, document("a", "bread"))
    with monkeypatch.context() as broken, writing(location) as writer:
        broken.setattr(f"{WRITING}.documents_table", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            writer.append([rows_of(*document("b", "half"))])
    put(location, document("c", "cake"))
    assert ["bread", "cake"] == texts(location)
    with monkeypatch.context() as broken, writing(location) as writer:
        rows = [rows_of(*document("d", "once"))]
        broken.setattr(f"{WRITING}.documents_table", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            writer.append(rows)
        broken.undo()
        writer.append(rows)
        writer.publish({}, ())
    assert ["bread", "cake", "once"] == texts(location)
    put(location, document("b", "whole"))
    assert ["bread", "cake", "once", "whole"] == texts(location)


def test_a_rebuild_is_seen_when_it_is_whole(location: str) -> None:
    """Until then readers see the old one; an interrupted one begins again."""
    put(location, document("a", "bread"), document("b", "cake"))
    reader = SharedReader(Storage.at(location))
    for last in (False, True):
        with writing(location, rebuild=True) as writer:
            assert ([], {}) == (writer.documents(), writer.vectors(["x"]))
            writer.append([rows_of(*document("a" if last else "z", "new bread"))])
            if last:
                writer.publish({}, ())
    assert (["bread", "cake"], ["new bread"]) == (texts(location, reader), texts(location))


def test_compaction_deletes_what_no_reader_can_ask_for(location: str) -> None:
    for number in range(3):
        put(location, document("a", f"bread {number}"))
    storage = Storage.at(location)
    with writing(location, rebuild=True) as writer:
        writer.append([rows_of(*document("a", "bread 2"))])
        writer.publish({}, ())
    before = len(storage.names())
    compact(location, older_than=timedelta(milliseconds=1))
    assert len(storage.names()) < before / 2
    assert ["bread 2"] == texts(location)
    put(location, document("b", "cake"))
    assert ["bread 2", "cake"] == texts(location)


def test_an_interrupted_run_is_finished_before_compaction(location: str) -> None:
    put(location, document("a", "bread"))
    with writing(location) as writer:
        writer.append([rows_of(*document("b", "cake"))])
    with pytest.raises(IndexingError, match="a run that was interrupted"):
        compact(location)
    with pytest.raises(PathError, match="is not shared"):
        compact("plain")


def test_vectors_of_another_length_or_model_are_refused(location: str) -> None:
    put(location, document("a", "bread"))
    record, (chunk,) = document("b", "cake")
    with writing(location) as writer, pytest.raises(IndexMismatchError, match="of 8 numbers"):
        writer.put(record, [replace(chunk, windows=(Window("d", [1.0]),))])
    with pytest.raises(IndexMismatchError, match="embedding model letters"):
        SharedReader(Storage.at(location)).check("another")


def test_many_vectors_are_searched_by_their_index(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cosines are exact, and a chunk that is nearest is found."""
    indexes = "research_agent.index.adapters.shared.searching"
    for name, value in {"MANY_VECTORS": 300, "MANY_ROWS": 10, "OF_PARTITION": 50}.items():
        monkeypatch.setattr(f"{indexes}.{name}", value)
    words = [f"{chr(97 + n % 8) * (n % 13)}{chr(97 + n % 5) * (n % 17)} {n}" for n in range(320)]
    put(location, document("a", *words))
    reader = SharedReader(Storage.at(location))
    assert 320 == reader.state.trained
    exact, dense = ExactVectors(*reader.matrix()), SharedVectors(reader)
    wanted = exact.search(vector(words[7]), k=3)
    assert wanted[0] == dense.search(vector(words[7]), k=3)[0]
    ids = [hit.chunk_id for hit in wanted]
    near = dense.similarities(vector("abc"), [*ids, "unknown"])
    assert exact.similarities(vector("abc"), [*ids, "unknown"]) == pytest.approx(near)
