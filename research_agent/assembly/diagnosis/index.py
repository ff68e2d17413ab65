"""What is found about an index: it is read, never repaired."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from shlex import quote

from research_agent.assembly.diagnosis.findings import MB, Finding, fault_of
from research_agent.assembly.diagnosis.models import EmbeddingLook
from research_agent.assembly.edited_files import file_state
from research_agent.assembly.index_search import is_exact, server_of
from research_agent.assembly.scanned_pages import INSTALL, can_read_scans
from research_agent.assembly.shared import shared_reader
from research_agent.errors import ConfigError, IndexingError, PathError
from research_agent.index.adapters.folders import DEFAULT, IndexFolder, locate
from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.vectors.chroma import latest, opened
from research_agent.settings import IndexSettings, Settings
from research_agent.text.addresses import is_web
from research_agent.text.paths import is_shared
from research_agent.types.records import IndexHeader, brought, wants_ocr

PART = "index"
SHOWN = 3  # documents that are named


def index_findings(
    location: str, embedding: EmbeddingLook, settings: Settings
) -> Iterator[Finding]:
    """Yield the findings on an index, used with the embedding model of the settings."""
    option = "" if location in ("", DEFAULT) else f" --index {quote(location)}"
    command, offline = f"research-agent index{option}", settings.models.offline
    try:
        if is_shared(location):
            yield from _shared_findings(location, embedding, command, offline=offline)
        else:
            yield from _Index(locate(location), command).findings(embedding, settings.index)
    except (ConfigError, IndexingError, PathError) as error:
        yield fault_of(PART, error, f"{command} PATH")


class _Index:
    """An index whose ledger can be read."""

    def __init__(self, folder: IndexFolder, command: str) -> None:
        """Read the ledger; raises IndexingError."""
        self.folder, self.command = folder, command
        with LedgerReader(folder.current().ledger, folder.label) as ledger:
            self.header: IndexHeader = ledger.header()
            self.vectors, self.pending = ledger.vector_count(), ledger.pending()
            self.files = [file for file in ledger.files() if not is_web(file[0])]
            self.damaged = sorted(set(ledger.damaged().values()))
        documents = all_documents(folder.current().ledger, folder.label)
        shown = [of.record for of in documents if of.record.published]
        self.gains = [gain for record in shown if (gain := brought(record.recipe))]
        counts = (record.unresolved.dangling for record in shown)
        self.scanned = [of.record for of in documents if wants_ocr(of.record)]
        self.dangling = [count for count in counts if count]
        self.writer = folder.writer()
        self.source = _common([path for path, _, _ in self.files])
        self.update = f"{command} --refresh"
        self.rebuild = f"{command} --rebuild --refresh"

    def findings(self, embedding: EmbeddingLook, settings: IndexSettings) -> Iterator[Finding]:
        yield from self.content()
        if embedding.model:
            yield self.model(embedding)
        yield self.words()
        server, dimension = settings.server, self.header.dimension
        if not server and is_exact(self.vectors, dimension, settings.limit):
            yield Finding("ok", PART, "its vectors are compared one by one, without a cache")
        else:
            yield self.served(server) if server else self.dense()
        yield from self.interrupted()
        if self.dangling:
            count, holders = sum(self.dangling), len(self.dangling)
            what = f"{count} references in {holders} of its documents lead nowhere"
            yield Finding("note", PART, what, self.command.replace(" index", " documents", 1))
        yield from self.scans()
        if self.files:
            yield self.sources()

    def content(self) -> Iterator[Finding]:
        """Yield what the ledger holds, and what of it is missing, damaged or old."""
        header, size = self.header, self.folder.bytes_on_disk()
        yield Finding(
            "ok",
            PART,
            f"{self.folder.label}: {header.documents} documents, {header.chunks} chunks, "
            f"{self.vectors} vectors of {header.dimension} numbers, generation "
            f"{header.generation}, {size / MB:,.1f} MB",
        )
        if not header.documents:
            what = f"{self.folder.label} holds no document"
            yield Finding("warning", PART, what, f"{self.command} PATH")
        if self.damaged:
            what = f"what it holds of {len(self.damaged)} documents is damaged: {self.damaged[0]}"
            yield Finding("fault", PART, what, self.update)
        if self.vectors < header.chunks:
            what = f"the ledger holds {self.vectors} vectors for {header.chunks} chunks"
            yield Finding("fault", PART, what, self.rebuild)
        if self.gains:
            what = f"{len(self.gains)} documents were read by an older version; this one brings"
            yield Finding("note", PART, f"{what} {self.gains[0]}", self.update)

    def model(self, embedding: EmbeddingLook) -> Finding:
        """Compare the model that the index was made with to the one of the settings."""
        header, label = self.header, self.folder.label
        if header.model != embedding.model:
            what = f"{label} was made with the embedding model {header.model}, the settings name "
            cure = f"{self.rebuild}, or choose {header.model} in models.embedding"
            return Finding("fault", PART, what + embedding.model, cure)
        if embedding.dimension and header.dimension not in (0, embedding.dimension):
            what = f"the vectors of {label} have {header.dimension} numbers, those of the embedding"
            return Finding("fault", PART, f"{what} model {embedding.dimension}", self.rebuild)
        what = f"made with the embedding model of the settings, {header.model}"
        return Finding("ok", PART, what)

    def words(self) -> Finding:
        name, place = "word index", str(self.folder.current().words)
        if self.writer:
            return self.unseen(name)
        try:
            with WordIndex(self.folder.current().words) as words:
                words.check()
                return self.cache(
                    name, place, words.generation(), words.count(), self.header.chunks
                )
        except IndexingError as error:
            return Finding("warning", PART, str(error), self.update)

    def dense(self) -> Finding:
        """Count the vectors in Chroma's files; those that are not as noted are not opened."""
        name, place = "vector cache", self.folder.current().vectors
        if self.writer:
            return self.unseen(name)
        files = latest(place)
        if not files:
            return self.cache(name, str(place), 0, 0, self.vectors)
        try:
            with opened(files) as collection:
                entries = collection.count()
        except (IndexingError, OSError) as error:
            return Finding("warning", PART, str(error), self.update)
        return self.cache(name, str(place), int(files.name), entries, self.vectors)

    def served(self, url: str) -> Finding:
        """Look at the collection on a Chroma server."""
        collection = server_of(url, self.folder.current())
        try:
            with collection.opened(self.header.generation) as found:
                count = found.count()
        except IndexingError as error:
            return Finding("warning", PART, str(error), self.update)
        name = f"collection {collection.name} on {url}"
        return self.cache(name, name, self.header.generation, count, self.vectors)

    def unseen(self, name: str) -> Finding:
        return Finding("note", PART, f"the {name} was not looked at while the index is written")

    def cache(self, name: str, place: str, generation: int, entries: int, expected: int) -> Finding:
        """Compare a cache to the ledger: it shows this generation, and all of it."""
        if generation != self.header.generation:
            what = f"the {name} shows generation {generation}, not {self.header.generation}"
            return Finding("warning", PART, what, self.update)
        if entries != expected:
            what = f"the {name} has {entries} entries, the ledger {expected}"
            return Finding("fault", PART, what, f"rm -r {quote(place)} && {self.update}")
        return Finding("ok", PART, f"the {name} is current: {entries} entries, like the ledger")

    def interrupted(self) -> Iterator[Finding]:
        """Yield what a run that did not end by itself left behind."""
        if self.writer:
            yield Finding("note", PART, f"it is being written by {self.writer}")
            return
        if self.pending:
            what = f"an indexing run was interrupted: {self.pending} documents wait to be published"
            yield Finding("warning", PART, what, self.update)
        if left := self.folder.leftovers():
            what = f"an interrupted run left files behind: {', '.join(left)}"
            yield Finding("note", PART, what, self.update)

    def scans(self) -> Iterator[Finding]:
        """Name documents with pages that OCR could read, and what is known of which."""
        if not self.scanned:
            return
        named = [f"{PurePath(one.path).name}: {one.reason}" for one in self.scanned[:SHOWN]]
        more = f"; and {len(self.scanned) - SHOWN} more" if self.scanned[SHOWN:] else ""
        cure = self.update if can_read_scans() else f"{INSTALL}, then {self.update}"
        yield Finding("note", PART, f"pages want OCR: {'; '.join(named)}{more}", cure)

    def sources(self) -> Finding:
        """Compare size and time of the files now with those when they were read."""
        states = [file_state(*file) for file in self.files]
        total, gone, changed = len(states), states.count("gone"), states.count("changed")
        if gone == total:
            remove = f"research-agent index --remove {self.folder.label}"
            cure = f"Bring the folder back, or remove the index: {remove}"
            what = f"none of its {total} files is there any more, below {self.source}"
            return Finding("warning", PART, what, cure)
        if gone or changed:
            what = f"{gone} of its {total} files are gone, {changed} changed"
            return Finding("note", PART, what, self.update)
        return Finding("ok", PART, f"its {total} files are there, and as they were read")


def _common(paths: Sequence[str]) -> str:
    try:
        return os.path.commonpath([str(Path(path).parent) for path in paths])
    except ValueError:  # (no files, or files on several disks)
        return ""


def _shared_findings(
    location: str, embedding: EmbeddingLook, command: str, *, offline: bool
) -> Iterator[Finding]:
    """Yield the findings on a shared index; raises IndexingError where it cannot be reached."""
    from research_agent.index.adapters.shared.generations import holder

    reader = shared_reader(location, offline=offline)
    storage, state, kept = reader.storage, reader.state, reader.kept()
    versions = ", ".join(f"{name} {version}" for name, version in sorted(state.versions.items()))
    yield Finding(
        "ok",
        PART,
        f"{location}: {state.documents} documents, {state.chunks} chunks, {state.vectors} vectors "
        f"of {state.dimension} numbers, generation {state.number}, "
        f"{storage.bytes_on_disk() / MB:,.1f} MB",
    )
    yield Finding("ok", PART, f"versions of its tables: {versions}")
    if not storage.is_local:
        what = f"it is on other machines: what is indexed is kept at {storage.url}"
        yield Finding("note", PART, what)
    counts = {
        "documents": (len(kept), state.records),
        "chunks": (reader.table("chunks").count_rows(), state.chunks),
    }
    if state.dimension:
        counts["vectors"] = (reader.table("vectors").count_rows(), state.vectors)
    wrong = [f"{n} {name}, not {told}" for name, (n, told) in counts.items() if n != told]
    if wrong:
        what = f"its tables hold {', '.join(wrong)}"
        yield Finding("fault", PART, what, f"{command} --rebuild PATH")
    if embedding.model and embedding.model != state.model:
        what = f"{location} was made with the embedding model {state.model}, the settings name "
        cure = f"{command} --rebuild PATH, or choose {state.model} in models.embedding"
        yield Finding("fault", PART, what + embedding.model, cure)
    if writer := holder(storage):
        yield Finding("note", PART, f"it is being written, or was, by {writer}")
    yield _rights(storage)


def _rights(storage: Storage) -> Finding:
    try:
        storage.put("rights.json", b"{}")
        storage.delete(["rights.json"])
    except IndexingError as error:
        return Finding("note", PART, f"it may be read, not written: {error}")
    return Finding("ok", PART, "it may be read and written")
