"""Vectors in Chroma, in files or on a server: a cache that can be made again from the ledger.

Chroma's own counts and its search can differ after a kill during a write, and opening damaged
files can end the process. So files that a reader may open are never written to: each generation
has a folder of its own, made beside the last one and renamed when it is whole, with a note of what
Chroma loads into memory. Files that differ from their note are never opened. A server's collection
is written in place: a reader takes what it proposes and compares the ledger's vectors.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from zlib import crc32

from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.private_files import make_folder

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

COLLECTION = "chunks"
GRAPH: "CreateHNSWConfiguration" = {"space": "cosine", "ef_search": 200}  # of new collections
VERSION = 2  # of what is written into a collection; files of another one are made anew
_PAGE = 1000  # rows read or written at a time: Chroma takes no more than some 5,000
_KEPT = 2  # generations: readers may still search the one before the last
_NOTE = "current.json"
_IDS = "index_metadata.pickle"
_GENERATION = "generation"

Fetch = Callable[[Sequence[str]], Sequence[Sequence[float]]]  # vectors by their ids, in order


def shown(folder: Path, generation: int) -> Path | None:
    """Return the files of a generation; None where they are missing or damaged."""
    files = folder / str(generation)
    return files if _is_as_noted(files) else None


def latest(folder: Path) -> Path | None:
    """Return the files of the latest generation that has whole ones."""
    return next(filter(_is_as_noted, reversed(_generations(folder))), None)


def sync(folder: Path, generation: int, digests: Mapping[str, str], fetch: Fetch) -> None:
    """Make files that hold exactly the vectors in `digests`, and drop those that are too old.

    They begin as a copy of the last generation, and only what is new is fetched; where that does
    not help they are made anew. Raises IndexDamagedError where Chroma cannot make them,
    IndexingError where the disk does not take them; what was there before stays.
    """
    made = folder / f"{generation}.new"
    try:
        _make(made, latest(folder), digests, fetch)
        (made / _NOTE).write_text(json.dumps(_described(made)), encoding="utf-8")
        shutil.rmtree(folder / str(generation), ignore_errors=True)
        made.rename(folder / str(generation))
        kept = _generations(folder)[-_KEPT:]
        for path in folder.iterdir():
            if path not in kept:
                _delete(path)
    except OSError as error:
        raise IndexingError(
            f"The vectors cannot be written: {error}.",
            hint="Look at the free space of the disk, and give the command again.",
        ) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def spoil(folder: Path) -> None:
    """Let no files of any generation be opened any more: the next `sync` makes them anew."""
    for files in _generations(folder):
        with suppress(OSError):
            (files / _NOTE).unlink(missing_ok=True)


@contextmanager
def opened(files: Path, *, create: bool = False) -> "Iterator[Collection]":
    """Open the collection; what goes wrong inside is raised as IndexDamagedError."""
    with faults(), _client(files) as client:
        yield _collection(client, COLLECTION, create=create)


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """One index's collection on a server."""

    url: str
    name: str

    @contextmanager
    def opened(self, generation: int) -> "Iterator[Collection]":
        """Give the collection; raises IndexDamagedError where it shows another generation."""
        with faults():
            collection = _collection(_server_client(self.url), self.name, create=False)
            if not _shows(collection, generation):
                raise IndexDamagedError(f"The Chroma server at {self.url} shows another state.")
            yield collection

    def sync(self, generation: int, digests: Mapping[str, str], fetch: Fetch) -> None:
        """Let the collection show a generation; raises IndexDamagedError where that fails."""
        with faults():
            client = _server_client(self.url)
            collection = _collection(client, self.name, create=True)
            if _shows(collection, generation):
                return
            try:
                with faults():
                    _write(collection, digests, fetch)
            except IndexDamagedError:
                client.delete_collection(self.name)
                collection = _collection(client, self.name, create=True)
                _write(collection, digests, fetch)
            collection.modify(metadata={_GENERATION: generation})


def all_ids(collection: "Collection") -> list[str]:
    """Return the ids of everything in a collection."""
    return [vector_id for page in _pages(collection) for vector_id in page["ids"]]


@contextmanager
def faults() -> Iterator[None]:
    """Turn Chroma's errors into IndexDamagedError."""
    try:
        yield
    except (IndexingError, OSError):
        raise
    except Exception as error:  # (Chroma raises errors of a dozen unrelated classes)
        raise IndexDamagedError(
            f"Chroma cannot use its files: {error}",
            hint="Look at the free space of the disk; the index itself is whole.",
        ) from error


def _collection(client: "ClientAPI", name: str, *, create: bool) -> "Collection":
    if create:
        client.get_or_create_collection(
            name, configuration={"hnsw": GRAPH}, embedding_function=None
        )
    return client.get_collection(name, embedding_function=None)


def _shows(collection: "Collection", generation: int) -> bool:
    return (collection.metadata or {}).get(_GENERATION) == generation


def _client(files: Path) -> "Client":
    with _without_dot_env("chromadb"):
        import chromadb
        from chromadb.api.shared_system_client import SharedSystemClient

    try:
        client = chromadb.PersistentClient(files, settings=_own_settings())
    except BaseException:
        # Chroma keeps what it could not start, and would give it to the next who opens the folder
        if str(files) not in SharedSystemClient._identifier_to_refcount:  # noqa: SLF001 (there is no public way)
            SharedSystemClient._identifier_to_system.pop(str(files), None)  # noqa: SLF001 (as above)
        raise
    return cast("Client", client)


@cache
def _server_client(url: str) -> "ClientAPI":
    """Return this process's client of a server; Chroma's never close their connections."""
    with _without_dot_env("chromadb"):
        import chromadb

    where = urlsplit(url)
    secure = where.scheme == "https"
    port = where.port or (443 if secure else 8000)
    host = where.hostname or ""
    return chromadb.HttpClient(host=host, port=port, ssl=secure, settings=_own_settings())


def _own_settings() -> "Settings":
    """Return Chroma's own defaults, whatever the environment says, without telemetry."""
    from chromadb.config import Settings

    fields: dict[str, Any] = {
        name: field.get_default(call_default_factory=True)
        for name, field in Settings.model_fields.items()
    }
    fields |= {"anonymized_telemetry": False, "chroma_otel_granularity": None}
    return Settings(_env_file=None, **fields)


@contextmanager
def _without_dot_env(package: str) -> Iterator[None]:
    """Let the settings of `package` that are made inside read no `.env` file.

    Chroma makes some while it is imported, where nobody can give it an argument, and one line of
    such a file could name a server to send everything to.
    """
    from pydantic_settings import DotEnvSettingsSource

    reading = DotEnvSettingsSource._read_env_files  # noqa: SLF001 (there is no public way)

    def read(self: DotEnvSettingsSource) -> Mapping[str, str | None]:
        theirs = self.settings_cls.__module__.partition(".")[0] == package
        return {} if theirs else reading(self)

    DotEnvSettingsSource._read_env_files = read  # type: ignore[method-assign]  # noqa: SLF001 (as above)
    try:
        yield
    finally:
        DotEnvSettingsSource._read_env_files = reading  # type: ignore[method-assign]  # noqa: SLF001 (as above)


def _make(made: Path, base: Path | None, digests: Mapping[str, str], fetch: Fetch) -> None:
    shutil.rmtree(made, ignore_errors=True)
    if base:
        # (Chroma writes while others read: SQLite's own files come and go)
        shutil.copytree(base, made, ignore=shutil.ignore_patterns("*-journal", "*-wal", "*-shm"))
        (made / _NOTE).unlink(missing_ok=True)
    make_folder(made)
    try:
        with opened(made, create=True) as collection:
            _write(collection, digests, fetch)
    except IndexDamagedError:
        if not base:
            raise
        _make(made, None, digests, fetch)


def _write(collection: "Collection", digests: Mapping[str, str], fetch: Fetch) -> None:
    held = {
        vector_id: str(about["digest"])
        for page in _pages(collection, metadatas=True)
        for vector_id, about in zip(page["ids"], page["metadatas"], strict=True)
    }
    for gone in _parts([vector_id for vector_id in held if vector_id not in digests]):
        collection.delete(ids=gone)
    for new in _parts([name for name, digest in digests.items() if held.get(name) != digest]):
        about = ({"digest": digests[vector_id]} for vector_id in new)
        collection.upsert(ids=new, embeddings=list(fetch(new)), metadatas=list(about))
    if set(all_ids(collection)) != digests.keys():
        raise IndexDamagedError("Chroma does not hold the vectors that were written.")


def _pages(collection: "Collection", *, metadatas: bool = False) -> Iterator[Any]:
    for offset in range(0, collection.count(), _PAGE):
        yield collection.get(include=["metadatas"] if metadatas else [], limit=_PAGE, offset=offset)


def _parts(ids: list[str]) -> Iterator[list[str]]:
    return (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))


def _generations(folder: Path) -> list[Path]:
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return [folder / str(number) for number in sorted(int(n) for n in names if n.isdecimal())]


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_as_noted(folder: Path) -> bool:
    """Return whether a folder has a note and what it says still holds.

    Chroma's database is not part of it: Chroma writes to it while it reads, and damage to it is
    an error of SQLite's, not the end of the process.
    """
    try:
        return bool(json.loads((folder / _NOTE).read_text(encoding="utf-8")) == _described(folder))
    except (OSError, ValueError):
        return False


def _described(folder: Path) -> dict[str, object]:
    """Return size and checksum of the files that Chroma loads into memory.

    A graph without a list of its ids was never written out: Chroma does not read it, but writes to
    it when a folder is opened.
    """
    graphs = [path.parent for path in sorted(folder.glob(f"*/{_IDS}"))]
    files = [path for graph in graphs for path in sorted(graph.iterdir())]
    names = {path.relative_to(folder).as_posix(): _checksum(path) for path in files}
    return {"version": VERSION, "files": names}


def _checksum(path: Path) -> list[int]:
    size = checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            size, checksum = size + len(piece), crc32(piece, checksum)
    return [size, checksum]
