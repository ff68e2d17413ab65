"""Word search with SQLite's FTS5: a cache that can be made again from the ledger.

Documents and queries are split by `text/words.py`; FTS5 only stems English words (porter) and
ranks by BM25, so no query text is ever read as its query language.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Self

from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError
from research_agent.private_files import touch
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.text.language import search_terms
from research_agent.text.words import index_words, respelled_numbers
from research_agent.types import Chunk, ScoredId, chunk_header

MAX_TERMS = 64
"""Distinct words of a query that are searched, its first ones: enough for any question."""
VERSION = 2  # of the table and of the splitting into words; another one is made anew
HEADER_WEIGHT = 0.5
"""Weight of a word in a chunk's title or headings; one in its text has 1 (docs/results.md)."""
_STEP = 500  # chunks read at a time
_LOOKED_AT = 200  # characters of a chunk of which a word is looked for
_TABLES = """
CREATE TABLE entries (id INTEGER PRIMARY KEY, chunk_id TEXT UNIQUE NOT NULL, digest TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    header, text, tokenize = "porter unicode61 tokenchars '-._/+#' categories 'L* M* N* Co'"
);
CREATE TABLE state (generation INTEGER NOT NULL);
INSERT INTO state VALUES (0);
"""
_SEARCH = """SELECT chunk_id, -bm25(words, ?, 1.0) AS value
    FROM words JOIN entries ON id = words.rowid
    WHERE words MATCH ? ORDER BY value DESC, chunk_id LIMIT ?"""


class WordIndex(Closing):
    """Chunks by the words of header and text; implements LexicalIndex. Threads may share it."""

    def __init__(self, path: Path | None) -> None:
        """Open the file `path`, or an empty index in memory; raises IndexDamagedError."""
        self._path = path
        self._lock = Lock()
        with self._faults():
            self._connection = _connect(path)
        try:
            self._check()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def fresh(cls, path: Path) -> Self:
        """Return an empty index in the file `path`, whatever was there before."""
        for ending in ("", "-wal", "-shm"):
            old = path.with_name(path.name + ending)
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            old.unlink(missing_ok=True)
        touch(path)
        return cls(path)

    def generation(self) -> int:
        """Return the generation of the ledger that the index shows; 0: none yet."""
        with self._faults():
            return int(self._connection.execute("SELECT generation FROM state").fetchone()[0])

    def count(self) -> int:
        """Return how many chunks the index holds."""
        with self._faults():
            return int(self._connection.execute("SELECT count(*) FROM words").fetchone()[0])

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        """Return the `k` chunks with the best BM25 for `query`, best first; ties by id."""
        terms = search_terms(query)[:MAX_TERMS]
        if not terms:
            return []
        wanted = " OR ".join(f'"{term}"' for term in (*terms, *respelled_numbers(query, terms)))
        with self._faults():
            rows = self._connection.execute(_SEARCH, (HEADER_WEIGHT, wanted, k)).fetchall()
        return [ScoredId(chunk_id, value) for chunk_id, value in rows]

    def sync(
        self,
        generation: int,
        digests: Mapping[str, str],
        chunks: Callable[[Sequence[str]], Sequence[Chunk]],
    ) -> None:
        """Make the index show exactly the chunks in `digests`, in one transaction.

        A chunk whose digest differs has changed; `chunks` is asked for those that are new.
        """
        with self._faults():
            rows = self._connection.execute("SELECT chunk_id, digest, id FROM entries").fetchall()
        kept = {chunk_id for chunk_id, digest, _ in rows if digests.get(chunk_id) == digest}
        gone = [(row,) for chunk_id, _, row in rows if chunk_id not in kept]
        new = [chunk_id for chunk_id in digests if chunk_id not in kept]
        with self._faults():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("DELETE FROM words WHERE rowid = ?", gone)
                self._connection.executemany("DELETE FROM entries WHERE id = ?", gone)
                for start in range(0, len(new), _STEP):
                    for chunk in chunks(new[start : start + _STEP]):
                        self._add(chunk, digests[chunk.chunk_id])
                self._connection.execute("UPDATE state SET generation = ?", [generation])
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def check(self, chunks: Iterable[Chunk] | None = None) -> None:
        """Look for a word of each of `chunks`, or check everything; raises IndexDamagedError."""
        with self._faults():
            if chunks is None:
                self._connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
                return
            lost = [chunk.chunk_id for chunk in chunks if not self._holds(chunk)]
        if lost:
            raise IndexDamagedError(f"The word index has lost chunk {lost[0]}.")

    def _holds(self, chunk: Chunk) -> bool:
        run = self._connection.execute
        row = run("SELECT id FROM entries WHERE chunk_id = ?", [chunk.chunk_id]).fetchone()
        begin = chunk.text[:_LOOKED_AT].rpartition(" ")[0]
        words = [] if chunk.kind in BOILERPLATE else index_words(begin)
        if not row or not words:
            return bool(row)
        wanted = f'"{max(words, key=len)}"'
        found = run("SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?", [wanted, row[0]])
        return found.fetchone() is not None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _add(self, chunk: Chunk, digest: str) -> None:
        """Insert one chunk; boilerplate is counted, but without words, so it is never found."""
        found = () if chunk.kind in BOILERPLATE else (chunk_header(chunk), chunk.text)
        header, text = (" ".join(index_words(part)) for part in found or ("", ""))
        run = self._connection.execute
        row = run("INSERT INTO entries VALUES (NULL, ?, ?)", (chunk.chunk_id, digest)).lastrowid
        run("INSERT INTO words (rowid, header, text) VALUES (?, ?, ?)", (row, header, text))

    def _check(self) -> None:
        run = self._connection.execute
        with self._faults():
            if not run("PRAGMA schema_version").fetchone()[0]:
                run("PRAGMA journal_mode = WAL")
                version = f"PRAGMA user_version = {VERSION};"
                self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {version} COMMIT;")
            found = run("PRAGMA user_version").fetchone()[0]
        if found != VERSION:
            raise IndexDamagedError(f"The word index has version {found}, not {VERSION}.")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise IndexDamagedError(
                f"The word index cannot be used: {error}.",
                hint=f"Delete {self._path} and ask again: it is made anew from the index.",
            ) from error


def _connect(path: Path | None) -> sqlite3.Connection:
    name = f"{path.absolute().as_uri()}?mode=rw" if path else ":memory:"
    connection = sqlite3.connect(
        name, uri=True, timeout=30, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection
