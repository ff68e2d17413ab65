"""The ledger: what is put is kept, shown when published, never half, and never of two models."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent import errors
from research_agent.index.adapters.ledger.documents import all_documents, known_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.schema import VERSION
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types import Chunk, ChunkKind
from research_agent.types.documents import SourceFile
from research_agent.types.records import DocumentOutline, IndexedChunk, Window
from tests.fakes import embedding
from tests.indexing import change, indexed, record

Reading = Callable[[LedgerReader], object] | None


def reader(path: Path) -> LedgerReader:
    return LedgerReader(path, "mine")


def texts(path: Path, *chunk_ids: str) -> list[str]:
    with reader(path) as ledger:
        return [chunk.text for chunk in ledger.chunks(chunk_ids)]


def test_chunks_come_back_as_they_were(path: Path, writer: LedgerWriter) -> None:
    """Every field of a chunk survives, in the order asked for, however many are wanted."""
    chunk = Chunk(
        chunk_id="c1",
        doc_id="guide",
        text="naïve \0 table",
        start_page=3,
        end_page=4,
        start_label="iii",
        end_label="iv",
        section=("One", "Two"),
        kind="table",
        title="A guide",
        date="2026-11",
        source="/docs/guide.pdf",
        order=7,
    )
    item = IndexedChunk(chunk, "digest", (Window("w", embedding("x")),))
    writer.put(record("k", "/docs/guide.pdf", title="A guide", date="2026-11"), [item])
    writer.put(record("m"), [indexed(f"m{i}", f"text {i}") for i in range(1200)])
    writer.publish({}, [])
    asked = [f"m{i}" for i in reversed(range(1200))]  # (more than SQLite binds at once)
    with reader(path) as ledger:
        assert [chunk] == ledger.chunks(["unknown", "c1"])
        assert asked == [chunk.chunk_id for chunk in ledger.chunks(asked)]
        assert [] == ledger.chunks([])


def test_nothing_is_seen_before_it_is_published(path: Path, writer: LedgerWriter) -> None:
    """The last version put waits beside the old one; publishing shows all of it at once."""
    with pytest.raises(errors.IndexMissingError, match="never finished"):
        reader(path)
    writer.put(record("a"), [indexed("c1", "old")])
    writer.publish({}, [])
    writer.put(record("a", digest="lost"), [indexed("c1", "lost")])
    writer.put(record("a", digest="new"), [indexed("c1", "new"), indexed("c2", "more")])
    assert ["old"] == texts(path, "c1", "c2")
    assert [("new", False)] == [(doc.digest, doc.published) for doc in writer.documents()]
    writer.publish({}, [])
    assert ["new", "more"] == texts(path, "c1", "c2")
    assert [("new", True)] == [(doc.digest, doc.published) for doc in writer.documents()]


def test_generation_grows_only_with_changes(path: Path, writer: LedgerWriter) -> None:
    """Publishing nothing, or a file's new time, changes nothing for readers."""
    writer.put(record("a"), [indexed("c1", "text")])
    writer.publish({}, [])
    writer.publish({"a": SourceFile("/docs/a.txt", "/docs", 1, 99)}, [])
    with reader(path) as ledger:
        assert 1 == ledger.generation()
    assert [99] == [doc.mtime_ns for doc in writer.documents()]


def test_names_follow_the_other_documents(path: Path, writer: LedgerWriter) -> None:
    """Two of one name are shown with their folders, until one is gone; a failed one has none."""
    for key, place in (("1", "/docs/a/guide.md"), ("2", "/docs/b/guide.md")):
        writer.put(record(key, place), [indexed(f"c{key}", "text")])
    writer.put(record("3", "/docs/c/guide.md", status="failed", reason="it is binary"), [])
    writer.publish({}, [])
    assert [("a/guide", ""), ("b/guide", ""), ("", "it is binary")] == [
        (doc.doc_id, doc.reason) for doc in writer.documents()
    ]
    writer.publish({}, ["1"])
    with reader(path) as ledger:
        assert ["guide"] == [chunk.doc_id for chunk in ledger.chunks(["c1", "c2"])]


def test_vectors_are_found_by_what_was_embedded(path: Path, writer: LedgerWriter) -> None:
    """Vectors are kept in 32 bits, known by their digest, and listed by chunk and window."""
    writer.put(record("a"), [indexed("c1", "one", "two words"), indexed("c2", "one")])
    found = writer.vectors(["digest of one", "digest of two words", "unknown"])
    assert {"digest of one", "digest of two words"} == found.keys()
    assert embedding("two words") == pytest.approx(found["digest of two words"], abs=1e-7)
    writer.publish({}, [])
    with reader(path) as ledger:
        assert {
            "c1#0": "digest of one",
            "c1#1": "digest of two words",
            "c2#0": "digest of one",
        } == ledger.vector_digests()
        assert [found["digest of two words"], found["digest of one"]] == ledger.vectors(
            ["c1#1", "c2#0"]
        )
        assert {"c1", "c2"} == ledger.chunk_digests().keys()


def test_strange_texts_are_kept(path: Path, writer: LedgerWriter) -> None:
    """Half characters in a text are replaced; in a file's name they are that file's fault."""
    writer.put(record("a"), [indexed("c1", "half \ud800 character", section=("\udfff",))])
    writer.publish({}, [])
    assert ["half ? character"] == texts(path, "c1")
    with pytest.raises(errors.DocumentError, match="Unicode"):
        writer.put(record("b", "/docs/\udcff.txt"), [])


def test_other_files_are_not_taken_for_a_ledger(path: Path) -> None:
    """No file, a text file, another program's database: each has its own error."""
    with pytest.raises(errors.IndexMissingError) as caught:
        reader(path)
    assert "research-agent index --index mine PATH" in caught.value.hint
    path.write_text("no database " * 99)
    with pytest.raises(errors.IndexDamagedError, match="damaged"):
        reader(path)
    path.unlink()
    change(path, "CREATE TABLE other (x)")
    for kind in (reader, lambda p: LedgerWriter(p, "mine", model="words")):
        with pytest.raises(errors.IndexDamagedError, match="not one of ours"):
            kind(path)


def test_what_the_disk_refuses_is_no_damage(tmp_path: Path) -> None:
    """A folder that is not there is a fault of the place, not of the index."""
    with pytest.raises(errors.IndexingError, match="unable to open") as caught:
        LedgerWriter(tmp_path / "nowhere" / "ledger.sqlite3", "mine", model="words")
    assert not isinstance(caught.value, errors.IndexDamagedError)


def test_a_snapshot_does_not_change(path: Path, writer: LedgerWriter) -> None:
    """Inside a snapshot the reader sees one generation, after it the next one."""
    writer.publish({}, [])
    with reader(path) as ledger:
        with ledger.snapshot():
            before = ledger.generation()
            writer.put(record("a"), [indexed("c1", "text")])
            writer.publish({}, [])
            assert (before, []) == (ledger.generation(), ledger.chunks(["c1"]))
        assert before + 1 == ledger.generation()


def test_chunks_around_one(path: Path, writer: LedgerWriter) -> None:
    """Those before and after it in its document, as they stand; none of an unknown one."""
    for key in ("a", "b"):
        items = [indexed(f"{key}{i}", f"text {i}") for i in range(5)]
        ordered = [
            replace(item, chunk=replace(item.chunk, order=i)) for i, item in enumerate(items)
        ]
        writer.put(record(key, f"/docs/{key}.md"), ordered)
    writer.publish({}, [])
    with reader(path) as ledger:
        assert ["a1", "a3"] == [chunk.chunk_id for chunk in ledger.around("a2", window=1)]
        assert ["b1", "b2"] == [chunk.chunk_id for chunk in ledger.around("b0", window=2)]
        assert [] == ledger.around("a2", window=0) + ledger.around("unknown", window=3)


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("UPDATE vectors SET vector = x'00'", lambda ledger: ledger.vectors(["c1#0"])),
        ("DELETE FROM vectors", lambda ledger: ledger.vectors(["c1#0"])),
        ("UPDATE chunks SET section = 'no json'", lambda ledger: ledger.chunks(["c1"])),
        ("UPDATE page_texts SET text = x'00'", lambda ledger: ledger.page_text("c1", 1)),
        ("UPDATE documents SET quality = json_object('colour', 2)", None),
        ("UPDATE documents SET unresolved = '{}'", None),
    ],
)
def test_damage_is_an_error_of_ours(
    path: Path, writer: LedgerWriter, sql: str, read: Reading
) -> None:
    """A row that makes no sense names the command that helps, wherever it is read."""
    writer.put(record("a"), [indexed("c1", "text")], page_texts=["first"])
    writer.publish({}, [])
    change(path, sql)
    with reader(path) as ledger, pytest.raises(errors.IndexDamagedError) as caught:
        (read or (lambda _: all_documents(path, "mine")))(ledger)
    assert "--rebuild" in caught.value.hint


def test_page_texts_leave_with_their_document(path: Path, writer: LedgerWriter) -> None:
    """A new version has its own, and a removed document none."""
    writer.put(record("a"), [indexed("c1", "one")], page_texts=["", "o\ud835\r\nne"])
    writer.publish({}, [])
    writer.put(record("a"), [indexed("c1", "one")], page_texts=["other"])
    with reader(path) as ledger:
        asked = (("c1", 1), ("c1", 2), ("c1", 3), ("no chunk", 2))
        assert ["", "o\ud835\r\nne", "", ""] == [ledger.page_text(*place) for place in asked]
    writer.publish({}, [])
    with reader(path) as ledger:
        assert ["other", ""] == [ledger.page_text("c1", page) for page in (1, 2)]
    writer.publish({}, ["a"])
    with closing(sqlite3.connect(path)) as connection:
        assert (0,) == connection.execute("SELECT count(*) FROM page_texts").fetchone()


@pytest.mark.parametrize("version", [1, 2, VERSION + 1])
def test_another_version_is_refused_with_the_cure(
    path: Path, writer: LedgerWriter, version: int
) -> None:
    """Tables that this program does not know are not touched."""
    writer.publish({}, [])
    change(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    for opened in (
        lambda: reader(path),
        lambda: LedgerWriter(path, "mine", model="w"),
        lambda: all_documents(path, "mine"),
        lambda: known_documents(path, "mine", model="w"),
    ):
        with pytest.raises(errors.IndexMismatchError, match=f"version {version}, ") as caught:
            opened()
        assert "index --index mine --rebuild PATH" in caught.value.hint
    assert before == path.read_bytes()


def test_outlines_of_published_documents(path: Path, writer: LedgerWriter) -> None:
    """Names, sizes, kinds and top sections; what waits, or points elsewhere, is left out."""
    sections = [("Guide",), ("Guide", "Install"), ("Guide", "Use"), ("Guide", "Install")]
    chunks = [
        indexed(f"c{i}", f"text {i}", section=section, order=i)
        for i, section in enumerate(sections)
    ]
    contents = indexed("c9", "contents", kind="contents", section=("Contents",), order=9)
    table = indexed("c5", "table", kind="table", section=("Guide", "Use", "Deep"), order=5)
    kept = replace(record("a", "/docs/guide.md"), title="The guide", date="2024", pages=3)
    writer.put(kept, [*chunks, table, contents])
    writer.publish({}, [])
    writer.put(record("b", "/docs/waits.md"), [indexed("d0", "later")])
    with reader(path) as ledger:
        found = ledger.documents()

    about = ("guide", "/docs/guide.md", "The guide", "2024", 3)
    kinds: dict[ChunkKind, int] = {"text": 4, "table": 1}
    assert (DocumentOutline(*about, kinds, ("Install", "Use")),) == found
    assert 5 == found[0].chunks
