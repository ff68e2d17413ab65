"""Fakes for everything that writes an index: files in memory, a reader, and made-up chunks."""

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from research_agent.assembly.index import OpenIndex, open_index
from research_agent.assembly.updating import Indexer
from research_agent.documents.adapters.files import LocalFiles
from research_agent.errors import DocumentError, PathError
from research_agent.settings import DocumentSettings, Settings
from research_agent.text.paths import is_below
from research_agent.types import Chunk
from research_agent.types.documents import (
    Block,
    FileReport,
    FoundFiles,
    IndexReport,
    ParsedDocument,
    SourceFile,
)
from research_agent.types.records import DocumentRecord, IndexedChunk, Window
from research_agent.types.references import Link
from tests.fakes import WordEmbedder, embedding

SETTINGS = Settings()


class MemoryFiles:
    """Files by their path; a text that is changed has another size or time."""

    def __init__(self, **texts: str) -> None:
        self.texts: dict[str, str] = {}
        self.times: dict[str, int] = {}
        self.left_alone: list[FileReport] = []
        self.unreadable: list[str] = []
        self.hashed: list[str] = []
        for name, text in texts.items():
            self.write(f"/docs/{name}.txt", text)

    def write(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.times[path] = self.times.get(path, 0) + 1

    def move(self, old: str, new: str) -> None:
        self.write(new, self.texts.pop(old))

    def find(self, paths: Collection[str]) -> FoundFiles:
        alone = {report.path for report in self.left_alone}
        found = []
        if barred := [path for path in paths if is_below(path, self.unreadable)]:
            return FoundFiles((), (FileReport(barred[0], "failed", "cannot be read"),))
        for root in paths:
            below = [p for p in sorted(self.texts) if p == root or p.startswith(f"{root}/")]
            if not below and root != "/empty":
                raise PathError(f"{root}: there is no such file or folder")
            found += [(root, path) for path in below if path == root or path not in alone]
        files = [SourceFile(p, r, len(self.texts[p]), self.times[p]) for r, p in found]
        skipped = [r for r in self.left_alone if any(r.path.startswith(f"{p}/") for p in paths)]
        return FoundFiles(tuple(files), tuple(skipped))

    def digest(self, path: str) -> str:
        self.hashed.append(path)
        return sha256(self.texts[path].encode()).hexdigest()

    def read(self, path: str) -> ParsedDocument:
        text = self.texts[path]
        if "\0" in text:
            raise DocumentError("it is binary")
        return parsed(text)


class PlainReader:
    """Reads text files: a paragraph is a block of a section of its own, and has some links."""

    def read(self, path: str) -> ParsedDocument:
        document = parsed(Path(path).read_text(encoding="utf-8"))
        blocks = (
            replace(b, anchors=(f"#{b.page}",), links=_links(b.page)) for b in document.blocks
        )
        return replace(document, blocks=tuple(blocks))


class CuttingEmbedder(WordEmbedder):
    """Reads forty characters at a time."""

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        return tuple(f"{header}\n{text[i : i + 40]}" for i in range(0, max(1, len(text)), 40))


def indexer(**changes: Any) -> Indexer:  # noqa: ANN401 (any field)
    plain = Indexer(
        settings=Settings(),
        embedder=WordEmbedder(),
        files=LocalFiles(DocumentSettings(), {".txt"}),
        reader=PlainReader(),
    )
    return replace(plain, **changes)


def update(
    *paths: Path,
    name: str = "default",
    rebuild: bool = False,
    prune: bool = False,
    **changes: Any,  # noqa: ANN401 (fields of an Indexer)
) -> IndexReport:
    named = [str(path) for path in paths]
    return indexer(**changes).update(name, named, rebuild=rebuild, prune=prune)


def opened(name: str = "default", settings: Settings = SETTINGS) -> OpenIndex:
    """Open an index with an embedder that refuses to work."""
    embedder = WordEmbedder()
    index = open_index(name, settings, embedder=embedder)
    assert [] == embedder.asked
    return index


def parsed(text: str) -> ParsedDocument:
    parts = [part for part in text.split("\n\n") if part.strip()]
    blocks = [Block(part, page, (f"Part {part[:8]}",)) for page, part in enumerate(parts, start=1)]
    return ParsedDocument(tuple(blocks), title="Notes", date="2026-11")


def _links(page: int) -> tuple[Link, ...]:
    """Return links to the next page, which the last one lacks, and to two other documents."""
    return tuple(Link(target, "link") for target in (f"#{page + 1}", "1.txt#1", "3.txt"))


def record(key: str, path: str = "", **changes: object) -> DocumentRecord:
    values = {"digest": f"content of {key}", "size": 1, "mtime_ns": 1, "recipe": "r", **changes}
    return DocumentRecord(key=key, path=path or f"/docs/{key}.txt", **values)  # type: ignore[arg-type]  # (tests change any field)


def indexed(chunk_id: str, *texts: str, **fields: object) -> IndexedChunk:
    """Return a chunk whose windows are `texts`."""
    chunk = Chunk(chunk_id, "d", " ".join(texts), **fields)  # type: ignore[arg-type]  # (tests change any field)
    return IndexedChunk(chunk, f"digest of {texts!a}", tuple(map(window, texts)))


def window(text: str) -> Window:
    return Window(f"digest of {text}".encode("ascii", "replace").decode(), embedding(text))


def ids(found: Sequence[object]) -> list[str]:
    return [getattr(item, "chunk_id") for item in found]  # noqa: B009 (chunks and hits both have one)


def change(path: Path, *statements: str) -> None:
    """Change an SQLite file behind everybody's back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
