"""Everything a ledger keeps, document by document, as its writer was given it."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from research_agent.index.adapters.ledger.documents import kept_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.schema import connect, faults
from research_agent.index.packing import unpacked, unpacked_text
from research_agent.types.records import DocumentRecord, IndexedChunk, Window
from research_agent.types.references import ChunkLinks, Link

_CHUNKS = """SELECT c.id, c.chunk_id, c.digest FROM chunks c JOIN documents d ON d.id = c.document
    WHERE d.key = ? AND d.generation IS NOT NULL ORDER BY c.position"""
_OF = """SELECT x.* FROM %s x JOIN chunks c ON c.id = x.chunk JOIN documents d
    ON d.id = c.document WHERE d.key = ? AND d.generation IS NOT NULL ORDER BY x.chunk, %s"""
_PAGES = """SELECT p.page, p.text FROM page_texts p JOIN documents d ON d.id = p.document
    WHERE d.key = ? AND d.generation IS NOT NULL"""


def exported(
    path: Path, label: str
) -> Iterator[tuple[DocumentRecord, list[IndexedChunk], tuple[str, ...]]]:
    """Yield each published document: its record, its chunks, the texts of its pages."""
    with LedgerReader(path, label) as ledger, closing(connect(path, label, writable=False)) as own:
        dimension = ledger.header().dimension
        for record in kept_documents(own):
            if not record.published:
                continue
            with faults(label):
                rows = own.execute(_CHUNKS, [record.key]).fetchall()
                links, windows = _links(own, record.key), defaultdict[int, list[Window]](list)
                for chunk, _, digest, blob in own.execute(
                    _OF % ("vectors", "window"), [record.key]
                ):
                    windows[chunk].append(Window(digest, unpacked(blob, dimension)))
                texts = {page: unpacked_text(b) for page, b in own.execute(_PAGES, [record.key])}
            chunks = ledger.chunks([chunk_id for _, chunk_id, _ in rows])
            yield (
                record,
                [
                    IndexedChunk(chunk, digest, tuple(windows[row]), links.get(row, ChunkLinks()))
                    for chunk, (row, _, digest) in zip(chunks, rows, strict=True)
                ],
                tuple(texts.get(page, "") for page in range(1, max(texts, default=0) + 1)),
            )


def _links(own: sqlite3.Connection, key: str) -> dict[int, ChunkLinks]:
    anchors, links = defaultdict[int, list[str]](list), defaultdict[int, list[Link]](list)
    terms = defaultdict[int, list[str]](list)
    for _, name, chunk in own.execute(_OF % ("anchors", "name"), [key]):
        anchors[chunk].append(name)
    for chunk, _, target, kind in own.execute(_OF % ("links", "place"), [key]):
        links[chunk].append(Link(target, kind))
    for chunk, name in own.execute(_OF % ("terms", "name"), [key]):
        terms[chunk].append(name)
    return {
        chunk: ChunkLinks(tuple(anchors[chunk]), tuple(links[chunk]), tuple(terms[chunk]))
        for chunk in {*anchors, *links, *terms}
    }
