"""Tables of the ledger, how it is opened, and what its faults mean to a user.

A document has at most two versions: the published one, which readers see, and one that waits to
be published (its `generation` is NULL). Everything below a version leaves with it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from research_agent import errors
from research_agent.index.messages import missing, rebuild_hint, unfinished
from research_agent.private_files import touch

APPLICATION_ID = 0x52414731  # marks the file as ours, in the file's header: "RAG1"
VERSION = 3  # of the tables below
SPACE = "cosine"
WRITING_KB = 65_536  # pages of the file that a writer keeps in memory: edges lead all over it

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, generation INTEGER,
    key TEXT NOT NULL, path TEXT NOT NULL, doc_id TEXT NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, recipe TEXT NOT NULL,
    title TEXT NOT NULL, date TEXT NOT NULL, pages INTEGER NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, quality TEXT NOT NULL DEFAULT '',
    unresolved TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX published ON documents (key) WHERE generation IS NOT NULL;
CREATE UNIQUE INDEX waiting ON documents (key) WHERE generation IS NULL;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    chunk_id TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL,
    start_page INTEGER NOT NULL, end_page INTEGER NOT NULL,
    start_label TEXT NOT NULL, end_label TEXT NOT NULL,
    section TEXT NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE INDEX chunks_of_document ON chunks (document, position);
CREATE INDEX chunks_by_id ON chunks (chunk_id);
CREATE TABLE vectors (
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    window INTEGER NOT NULL, digest TEXT NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (chunk, window)
);
CREATE INDEX vectors_by_digest ON vectors (digest);
CREATE TABLE page_texts (
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    page INTEGER NOT NULL, text BLOB NOT NULL,
    PRIMARY KEY (document, page)
);
CREATE TABLE anchors (
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    name TEXT NOT NULL, chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    PRIMARY KEY (document, name)
) WITHOUT ROWID;
CREATE INDEX anchors_of_chunk ON anchors (chunk);
CREATE TABLE links (
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    place INTEGER NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (chunk, place)
) WITHOUT ROWID;
CREATE TABLE terms (
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    name TEXT NOT NULL, PRIMARY KEY (chunk, name)
) WITHOUT ROWID;
CREATE TABLE edges (
    source INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (source, target, kind)
) WITHOUT ROWID;
CREATE INDEX edges_to ON edges (target);
"""
"""Anchors, links and terms are what documents say about one another, as written; edges are made
from them when a generation is published."""


@contextmanager
def faults(label: str) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        raise errors.IndexingError(
            f"The index {label} cannot be used: {error}.",
            hint="Look at the free space and the permissions of its folder, and try again.",
        ) from error
    except sqlite3.ProgrammingError as error:
        raise errors.IndexingError(
            f"The index {label} is closed: {error}.",
            hint="Use the agent, its graph and its tools before it is closed, within its `with`.",
        ) from error
    except UnicodeEncodeError:  # (what is being written is at fault, not the file)
        raise
    except (sqlite3.DatabaseError, ValueError) as error:
        raise errors.IndexDamagedError(
            f"The ledger of the index {label} is damaged: {error}.", hint=rebuild_hint(label)
        ) from error


def connect(path: Path, label: str, *, writable: bool) -> sqlite3.Connection:
    """Open a ledger, made if `writable` and missing; threads may share it; raises IndexingError."""
    if not writable and not path.is_file():
        raise missing(label)
    mode = "rwc" if writable else "ro"
    with faults(label):
        if writable:
            with suppress(FileNotFoundError):  # (SQLite tells that of a missing folder)
                touch(path)
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=30,
            isolation_level=None,
            check_same_thread=False,
        )
    try:
        _prepare(connection, label, writable=writable)
    except BaseException:
        connection.close()
        raise
    return connection


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Return whether tables were made; not where that was interrupted, and is to be rolled back."""
    try:
        return bool(connection.execute("PRAGMA schema_version").fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname == "SQLITE_READONLY_ROLLBACK":
            return False
        raise


def _prepare(connection: sqlite3.Connection, label: str, *, writable: bool) -> None:
    with faults(label):
        connection.execute("PRAGMA foreign_keys = ON")
        if writable:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA cache_size = -{WRITING_KB}")
        begun = _has_tables(connection)
        if not (writable or begun):
            raise unfinished(label)
        if not begun:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(
                f"BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"
            )
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if owner != APPLICATION_ID:
        raise errors.IndexDamagedError(
            f"The ledger of the index {label} is not one of ours.", hint=rebuild_hint(label)
        )
    if version != VERSION:
        raise errors.IndexMismatchError(
            f"The index {label} has tables of version {version}, this program reads {VERSION}.",
            hint=rebuild_hint(label),
        )


@contextmanager
def transaction(connection: sqlite3.Connection, label: str) -> Iterator[None]:
    """Write everything inside, or nothing."""
    with faults(label):
        connection.execute("BEGIN IMMEDIATE")
    try:
        with faults(label):
            yield
            connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
