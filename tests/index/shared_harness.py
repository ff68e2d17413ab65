"""A shared index in a folder or in a bucket of a server on loopback, and documents for it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from research_agent.assembly.shared import link
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.shared.tables import rows_of
from research_agent.index.adapters.shared.writing import SharedWriter
from research_agent.types import Chunk
from research_agent.types.records import DocumentRecord, IndexedChunk, Window, text_digest
from research_agent.types.references import ChunkLinks, Link

MODEL = "letters"


def vector(text: str) -> list[float]:
    """Return how often some letters are in a text."""
    return [1.0 + text.count(letter) for letter in "abcdefgh"]


def document(key: str, *texts: str, path: str = "") -> tuple[DocumentRecord, list[IndexedChunk]]:
    """Return a document whose chunks have these texts; the first one links to the last."""
    name = path or f"/docs/{key}.txt"
    record = DocumentRecord(
        key=key, path=name, digest=text_digest("".join(texts)), size=1, mtime_ns=1, recipe="r"
    )
    chunks = []
    for place, text in enumerate(texts):
        chunk = Chunk(f"{key}-{text_digest(text)[:8]}", key, text, source=name, order=place)
        anchor = ("#end",) if place == len(texts) - 1 else ()
        links = () if place else (Link("#end", "link"),)
        window = Window(text_digest(text), vector(text))
        found = ChunkLinks(anchors=anchor, links=links)
        chunks.append(IndexedChunk(chunk, text_digest(text), (window,), found))
    return record, chunks


@contextmanager
def writing(location: str, *, rebuild: bool = False) -> Iterator[SharedWriter]:
    """Yield a writer of the index at `location`."""
    with SharedWriter(Storage.at(location), model=MODEL, linker=link, rebuild=rebuild) as writer:
        yield writer


def put(location: str, *documents: tuple[DocumentRecord, list[IndexedChunk]]) -> None:
    """Publish documents."""
    with writing(location) as writer:
        for record, chunks in documents:
            writer.put(record, chunks)
        writer.publish({}, ())


def texts(location: str | Path, reader: SharedReader | None = None) -> Sequence[str]:
    """Return what readers see, in order."""
    reader = reader or SharedReader(Storage.at(str(location)))
    return sorted(chunk.text for chunk in reader.chunks(reader.chunk_ids()))


def put_until_killed(location: str) -> None:
    """Put one document after the other, and print the key of each that is kept."""
    with writing(location) as writer:
        for number in range(1000):
            writer.append([rows_of(*document(f"d{number}", f"text of d{number}"))])
            print(f"d{number}", flush=True)  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    put_until_killed(sys.argv[1])
