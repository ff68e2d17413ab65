"""Mentions: names of documents, sections and terms in the texts of a ledger."""

import json
import sqlite3
from collections.abc import Iterator

from research_agent.index.mentions import Mentions, Names
from research_agent.text.boilerplate_sections import APPARATUS

_MANY = 1000  # rows read at a time
_SEARCHED = f"kind NOT IN ({', '.join(repr(kind) for kind in sorted(APPARATUS))})"
_DOCUMENTS = """SELECT id, digest, title, doc_id FROM documents
    WHERE status = 'indexed' ORDER BY path"""
_OF_DOCUMENT = f"FROM chunks WHERE document = ? AND {_SEARCHED} ORDER BY position"
_HEADINGS = f"SELECT id, section, '' {_OF_DOCUMENT}"
_TEXTS = f"SELECT id, section, text {_OF_DOCUMENT}"
_TERMS = """SELECT t.chunk, t.name, '' FROM chunks c JOIN terms t ON t.chunk = c.id
    WHERE c.document = ? ORDER BY c.position, t.name"""
_COUNT = f"SELECT count(*) FROM chunks WHERE {_SEARCHED}"  # noqa: S608 (our own kinds)


def mention_edges(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str, int]]:
    """Yield source, target, kind and place of every mention.

    Texts are read one after the other; what is kept of them are numbers. Files with one content
    are one document, and mean the first of them.
    """
    documents = connection.execute(_DOCUMENTS).fetchall()
    first: dict[str, int] = {}
    for document, digest, *_ in documents:
        first.setdefault(digest, document)
    names = Names()
    for document, digest, title, doc_id in documents:
        if first[digest] == document:
            _add_names(connection, names, document, title, doc_id)
    mentions = Mentions(names, chunks=connection.execute(_COUNT).fetchone()[0])
    for document, digest, *_ in documents:
        for chunk, section, text in _read(connection, _TEXTS, document):
            mentions.add(first[digest], chunk, text, json.loads(section))
    for source, target, place in mentions.edges():
        yield source, target, "mention", place


def _add_names(
    connection: sqlite3.Connection, names: Names, document: int, title: str, doc_id: str
) -> None:
    """Add the names of one document, of its sections and its terms, each with its chunk."""
    begun: set[str] = set()
    for chunk, section, _ in _read(connection, _HEADINGS, document):
        if not begun:
            names.add_document(document, chunk, title=title, doc_id=doc_id)
        if section not in begun:
            begun.add(section)
            for heading in json.loads(section):
                names.add_heading(document, chunk, str(heading))
    for chunk, term, _ in _read(connection, _TERMS, document):
        names.add_term(document, chunk, term)


def _read(
    connection: sqlite3.Connection, sql: str, document: int
) -> Iterator[tuple[int, str, str]]:
    """Yield the rows of one document, some at a time."""
    cursor = connection.execute(sql, [document])
    while rows := cursor.fetchmany(_MANY):
        yield from rows
