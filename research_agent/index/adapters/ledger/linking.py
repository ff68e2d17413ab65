"""References between chunks: kept as written, and made into edges when an index is published."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from unicodedata import normalize

from research_agent.index.mentions import Mentions, Names
from research_agent.index.packing import storable
from research_agent.text.addresses import candidates, split_target
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.types.references import ChunkLinks, Unresolved, unresolved

LINKING = 1  # version of how edges are made: an index with those of another one makes them anew
_ROWS = 5000  # written at a time

_PUT = "INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?)"
_HERE = """INSERT OR IGNORE INTO edges SELECT l.chunk, a.chunk, l.kind, l.place
    FROM links l JOIN chunks c ON c.id = l.chunk
    JOIN anchors a ON a.document = c.document AND a.name = l.target WHERE a.chunk <> l.chunk"""
_ELSEWHERE = """SELECT l.chunk, l.kind, l.place, l.target, c.document, d.path FROM links l
    JOIN chunks c ON c.id = l.chunk JOIN documents d ON d.id = c.document
    WHERE l.kind IN ('link', 'schema') AND l.target NOT LIKE '#%'
    AND NOT EXISTS (SELECT 1 FROM anchors a WHERE a.document = c.document AND a.name = l.target)
    ORDER BY d.path, c.position, l.place"""
_DANGLING = """SELECT c.document, l.target FROM links l
    JOIN chunks c ON c.id = l.chunk JOIN documents d ON d.id = c.document
    WHERE l.kind IN ('link', 'schema') AND l.target LIKE '#%'
    AND NOT EXISTS (SELECT 1 FROM anchors a WHERE a.document = c.document AND a.name = l.target)
    ORDER BY c.document, c.position, l.place"""
_FIRST = "SELECT id FROM chunks WHERE document = ? ORDER BY position LIMIT 1"
_ANCHOR = "SELECT chunk FROM anchors WHERE document = ? AND name = ?"
_MANY = 1000  # rows read at a time
_SEARCHED = f"kind NOT IN ({', '.join(repr(kind) for kind in sorted(BOILERPLATE))})"
_NAMED = """SELECT id, digest, title, doc_id FROM documents
    WHERE status = 'indexed' ORDER BY path"""
_OF_DOCUMENT = f"FROM chunks WHERE document = ? AND {_SEARCHED} ORDER BY position"
_HEADINGS = f"SELECT id, section, '' {_OF_DOCUMENT}"
_TEXTS = f"SELECT id, section, text {_OF_DOCUMENT}"
_TERMS = """SELECT t.chunk, t.name, '' FROM chunks c JOIN terms t ON t.chunk = c.id
    WHERE c.document = ? ORDER BY c.position, t.name"""
_SEARCHED_COUNT = f"SELECT count(*) FROM chunks WHERE {_SEARCHED}"  # noqa: S608 (our own kinds)


def put_links(
    connection: sqlite3.Connection, document: int | None, chunk: int | None, links: ChunkLinks
) -> None:
    """Keep what a chunk's document says; of two chunks with one anchor the first keeps it."""
    many = connection.executemany
    names = ((document, storable(name), chunk) for name in links.anchors)
    many("INSERT OR IGNORE INTO anchors VALUES (?, ?, ?)", names)
    many("INSERT OR IGNORE INTO terms VALUES (?, ?)", ((chunk, storable(t)) for t in links.terms))
    many(
        "INSERT INTO links VALUES (?, ?, ?, ?)",
        ((chunk, place, storable(x.target), x.kind) for place, x in enumerate(links.links)),
    )


def link(connection: sqlite3.Connection) -> None:
    """Make all edges of the published generation anew, inside a transaction."""
    run = connection.execute
    run("DELETE FROM edges")
    run(_HERE)
    left = _Left()
    for document, target in run(_DANGLING):
        left.dangling[document].append(target)
    _write(connection, _between(connection, left))
    _write(connection, _mention_edges(connection))
    left.note(connection)


class _Left:
    def __init__(self) -> None:
        self.dangling: defaultdict[int, list[str]] = defaultdict(list)
        self.outside: defaultdict[int, list[str]] = defaultdict(list)

    def note(self, connection: sqlite3.Connection) -> None:
        """Write them down with their documents."""
        run = connection.execute
        for document, kept in run("SELECT id, unresolved FROM documents").fetchall():
            found = unresolved(self.dangling[document], self.outside[document])
            text = "" if found == Unresolved() else json.dumps(asdict(found))
            if text != kept:
                run("UPDATE documents SET unresolved = ? WHERE id = ?", [text, document])


def _between(connection: sqlite3.Connection, left: _Left) -> Iterator[tuple[int, int, str, int]]:
    paths = connection.execute("SELECT path, id FROM documents WHERE status = 'indexed'")
    documents = {normalize("NFC", path): document for path, document in paths}
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in documents:
        named[_name(path)].append(path)
    run = connection.execute
    for chunk, kind, place, target, document, path in run(_ELSEWHERE).fetchall():
        wanted, anchor = split_target(target)
        meant = _document(documents, named, wanted, path)
        if meant is None:
            left.outside[document].append(target)
            continue
        found = run(_ANCHOR, [meant, anchor]) if anchor else run(_FIRST, [meant])
        if row := found.fetchone():
            yield chunk, row[0], kind, place
        else:
            left.dangling[document].append(target)


def _document(
    documents: Mapping[str, int], named: Mapping[str, Sequence[str]], wanted: str, beside: str
) -> int | None:
    """Return what a link leads to; from the top of a site it is what alone ends so (`named`)."""
    paths = [normalize("NFC", path) for path in candidates(wanted, beside=beside)]
    for path in paths:
        if path in documents:
            return documents[path]
    if not wanted.startswith("/"):
        return None
    for ending in paths:
        fitting = [path for path in named.get(_name(ending), ()) if path.endswith(ending)]
        if len(fitting) == 1:
            return documents[fitting[0]]
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _write(connection: sqlite3.Connection, edges: Iterable[tuple[int, int, str, int]]) -> None:
    rows = iter(edges)
    while part := list(islice(rows, _ROWS)):
        connection.executemany(_PUT, (edge for edge in part if edge[0] != edge[1]))


def _mention_edges(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str, int]]:
    """Yield source, target, kind and place of every mention; copies of a file mean the first."""
    documents = connection.execute(_NAMED).fetchall()
    first: dict[str, int] = {}
    for document, digest, *_ in documents:
        first.setdefault(digest, document)
    names = Names()
    for document, digest, title, doc_id in documents:
        if first[digest] == document:
            _add_names(connection, names, document, title, doc_id)
    mentions = Mentions(names, chunks=connection.execute(_SEARCHED_COUNT).fetchone()[0])
    for document, digest, *_ in documents:
        for chunk, section, text in _rows_of(connection, _TEXTS, document):
            mentions.add(first[digest], chunk, text, json.loads(section))
    for source, target, place in mentions.edges():
        yield source, target, "mention", place


def _add_names(
    connection: sqlite3.Connection, names: Names, document: int, title: str, doc_id: str
) -> None:
    begun: set[str] = set()
    for chunk, section, _ in _rows_of(connection, _HEADINGS, document):
        if not begun:
            names.add_document(document, chunk, title=title, doc_id=doc_id)
        if section not in begun:
            begun.add(section)
            for heading in json.loads(section):
                names.add_heading(document, chunk, str(heading))
    for chunk, term, _ in _rows_of(connection, _TERMS, document):
        names.add_term(document, chunk, term)


def _rows_of(
    connection: sqlite3.Connection, sql: str, document: int
) -> Iterator[tuple[int, str, str]]:
    cursor = connection.execute(sql, [document])
    while rows := cursor.fetchmany(_MANY):
        yield from rows
