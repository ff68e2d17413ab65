"""Ledgers of an older version: still read, and brought up to date by the next writer."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.errors import IndexMismatchError
from research_agent.index.adapters.ledger.documents import all_documents, known_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.schema import VERSION
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types.documents import ParseQuality
from tests.indexing import change, indexed, record

QUALITY = ParseQuality(pages=9, textless=2, tables=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with one document, read with QUALITY."""
    file = tmp_path / "ledger.sqlite3"
    with LedgerWriter(file, "mine", model="words") as writer:
        writer.put(
            replace(record("a"), quality=QUALITY), [indexed("c1", "one"), indexed("c2", "two")]
        )
        writer.publish({}, [])
    return file


def of_version_2(path: Path) -> None:
    tables = ("page_texts", "anchors", "links", "terms", "edges")
    change(
        path,
        *(f"DROP TABLE {table}" for table in tables),
        "ALTER TABLE documents DROP COLUMN unresolved",
        "DELETE FROM meta WHERE key = 'linking'",
        "PRAGMA user_version = 2",
    )


def of_version_1(path: Path) -> None:
    of_version_2(path)
    change(path, "ALTER TABLE documents DROP COLUMN quality", "PRAGMA user_version = 1")


def test_an_older_ledger_is_read_as_it_is(path: Path) -> None:
    """Readers find everything but the quality, which nobody had kept, and change nothing."""
    (kept,) = all_documents(path, "mine")
    assert (QUALITY, {"text": 2}) == (kept.record.quality, kept.kinds)
    of_version_1(path)
    with LedgerReader(path, "mine") as ledger:
        assert ["one"] == [chunk.text for chunk in ledger.chunks(["c1"])]
    (kept,) = all_documents(path, "mine")
    assert (None, "a") == (kept.record.quality, kept.record.key)
    assert ["a"] == [known.key for known in known_documents(path, "mine", model="words")]
    with closing(sqlite3.connect(path)) as connection:
        assert (1,) == connection.execute("PRAGMA user_version").fetchone()


def test_a_writer_brings_an_older_ledger_up_to_date(path: Path) -> None:
    """The tables change at once, the documents stay, and new ones have their quality."""
    of_version_1(path)
    with LedgerWriter(path, "mine", model="words") as writer:
        assert [None] == [kept.quality for kept in writer.documents()]
        writer.put(replace(record("b"), quality=QUALITY), [])
        writer.publish({}, [])
        assert [None, QUALITY] == [kept.quality for kept in writer.documents()]
    with closing(sqlite3.connect(path)) as connection:
        assert (VERSION,) == connection.execute("PRAGMA user_version").fetchone()


def test_page_texts_of_older_ledgers(path: Path) -> None:
    """There are none until a document is read again; nothing has to be made anew."""
    of_version_2(path)
    with LedgerReader(path, "mine") as ledger:
        assert "" == ledger.page_text("c1", 1)
    with LedgerWriter(path, "mine", model="words") as writer:
        writer.put(record("a"), [indexed("c1", "one")], page_texts=["", "o\ud835\r\nne"])
        writer.publish({}, [])
    with LedgerReader(path, "mine") as ledger:
        texts = [ledger.page_text("c1", page) for page in (1, 2, 3)]
        assert ["", "o\ud835\r\nne", ""] == texts
        assert "" == ledger.page_text("no chunk", 2)


def test_page_texts_leave_with_their_document(path: Path) -> None:
    """A new version has its own, and a removed document none."""
    with LedgerWriter(path, "mine", model="words") as writer:
        writer.put(record("a"), [indexed("c1", "one")], page_texts=["first", "second"])
        writer.publish({}, [])
        writer.put(record("a"), [indexed("c1", "one")], page_texts=["other"])
        with LedgerReader(path, "mine") as ledger:
            assert "first" == ledger.page_text("c1", 1)
        writer.publish({}, [])
    with LedgerReader(path, "mine") as ledger:
        assert ["other", ""] == [ledger.page_text("c1", page) for page in (1, 2)]
    with LedgerWriter(path, "mine", model="words") as writer:
        writer.publish({}, ["a"])
    with closing(sqlite3.connect(path)) as connection:
        assert (0,) == connection.execute("SELECT count(*) FROM page_texts").fetchone()


def test_a_later_version_is_refused_with_the_cure(path: Path) -> None:
    """Tables that this program does not know are not touched."""
    change(path, f"PRAGMA user_version = {VERSION + 1}")
    for opened in (
        lambda: LedgerReader(path, "mine"),
        lambda: LedgerWriter(path, "mine", model="w"),
    ):
        with pytest.raises(IndexMismatchError, match=f"tables of version {VERSION + 1}") as caught:
            opened()
        assert "--rebuild" in caught.value.hint
