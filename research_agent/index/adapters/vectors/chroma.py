"""Vectors in Chroma: a cache that can be made again from the ledger.

Chroma's own counts and its search can differ after a kill during a write, and opening damaged
files can end the process. So files that a reader may open are never written to: each generation
has a folder of its own, made beside the last one and renamed when it is whole, with a note of what
Chroma loads into memory. Files that differ from their note are never opened.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.vectors import notes
from research_agent.private_files import make_folder

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

COLLECTION = "chunks"
SPACE = "cosine"
GRAPH: "CreateHNSWConfiguration" = {"space": "cosine", "ef_search": 200}
"""How new collections are made."""
_PAGE = 1000  # rows read or written at a time: Chroma takes no more than some 5,000
_KEPT = 2  # generations: readers may still search the one before the last

Fetch = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Vectors by their ids, in order."""


def shown(folder: Path, generation: int) -> Path | None:
    """Return the files of a generation; None where they are missing or damaged."""
    files = folder / str(generation)
    return files if notes.is_as_noted(files) else None


def sync(folder: Path, generation: int, digests: Mapping[str, str], fetch: Fetch) -> None:
    """Make files that hold exactly the vectors in `digests`, and drop those that are too old.

    They begin as a copy of the last generation, and only what is new is fetched; where that does
    not help they are made anew. Raises IndexDamagedError where Chroma cannot make them,
    IndexingError where the disk does not take them; what was there before stays.
    """
    made = folder / f"{generation}.new"
    try:
        _make(made, latest(folder), digests, fetch)
        notes.write_note(made)
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


def latest(folder: Path) -> Path | None:
    """Return the files of the latest generation that has whole ones."""
    return next(
        (files for files in reversed(_generations(folder)) if notes.is_as_noted(files)), None
    )


def shown_generation(folder: Path) -> int:
    """Return the latest generation that has whole files; 0: none."""
    files = latest(folder)
    return int(files.name) if files else 0


def spoil(folder: Path) -> None:
    """Let no files of any generation be opened any more: the next `sync` makes them anew."""
    for files in _generations(folder):
        with suppress(OSError):
            notes.drop_note(files)


def discard(folder: Path) -> None:
    """Delete everything; what cannot be deleted now is deleted next time."""
    shutil.rmtree(folder, ignore_errors=True)


def pages(collection: "Collection", *include: Literal["embeddings", "metadatas"]) -> Iterator[Any]:
    """Yield everything in the collection, a page at a time."""
    offset = 0
    while True:
        page = collection.get(include=list(include), limit=_PAGE, offset=offset)
        if not page["ids"]:
            return
        yield page
        offset += len(page["ids"])


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


@contextmanager
def opened(files: Path, *, create: bool = False) -> "Iterator[Collection]":
    """Open the collection; what goes wrong inside is raised as IndexDamagedError."""
    with faults(), _client(files) as client:
        yield collection_of(client, COLLECTION, create=create)


def collection_of(client: "ClientAPI", name: str, *, create: bool) -> "Collection":
    """Return a collection that compares by cosine; raises IndexDamagedError for another one."""
    if create:
        client.get_or_create_collection(
            name, configuration={"hnsw": GRAPH}, embedding_function=None
        )
    collection = client.get_collection(name, embedding_function=None)
    space = (collection.configuration_json.get("hnsw") or {}).get("space")
    if space != SPACE:
        raise IndexDamagedError(f"Chroma compares by {space}, not by {SPACE}.")
    return collection


def _client(files: Path) -> "Client":
    """Start Chroma on a folder, with its own defaults whatever the environment says."""
    with notes.without_dot_env("chromadb"):
        import chromadb
        from chromadb.api.shared_system_client import SharedSystemClient

    try:
        client = chromadb.PersistentClient(files, settings=own_settings())
    except BaseException:
        # Chroma keeps what it could not start, and would give it to the next who opens the folder
        if str(files) not in SharedSystemClient._identifier_to_refcount:  # noqa: SLF001 (there is no public way)
            SharedSystemClient._identifier_to_system.pop(str(files), None)  # noqa: SLF001 (as above)
        raise
    return cast("Client", client)


def own_settings() -> "Settings":
    """Return Chroma's own defaults, whatever the environment says, without telemetry."""
    from chromadb.config import Settings

    given: dict[str, Any] = {
        name: field.get_default(call_default_factory=True)
        for name, field in Settings.model_fields.items()
    }
    given |= {"anonymized_telemetry": False, "chroma_otel_granularity": None}
    return Settings(_env_file=None, **given)


def _make(made: Path, base: Path | None, digests: Mapping[str, str], fetch: Fetch) -> None:
    """Write new files that begin as a copy of `base`, or from nothing where it is of no use."""
    shutil.rmtree(made, ignore_errors=True)
    if base:
        shutil.copytree(base, made)
        notes.drop_note(made)
    make_folder(made)
    try:
        with opened(made, create=True) as collection:
            write(collection, digests, fetch)
    except IndexDamagedError:
        if not base:
            raise
        _make(made, None, digests, fetch)


def write(collection: "Collection", digests: Mapping[str, str], fetch: Fetch) -> None:
    """Let a collection hold exactly the vectors in `digests`; only new ones are fetched."""
    held = {
        vector_id: str(about["digest"])
        for page in pages(collection, "metadatas")
        for vector_id, about in zip(page["ids"], page["metadatas"], strict=True)
    }
    gone = [vector_id for vector_id in held if vector_id not in digests]
    new = [vector_id for vector_id, digest in digests.items() if held.get(vector_id) != digest]
    for ids in _parts(gone):
        collection.delete(ids=ids)
    for ids in _parts(new):
        collection.upsert(
            ids=ids,
            embeddings=list(fetch(ids)),
            metadatas=[{"digest": digests[vector_id]} for vector_id in ids],
        )
    if {i for page in pages(collection) for i in page["ids"]} != digests.keys():
        raise IndexDamagedError("Chroma does not hold the vectors that were written.")


def _parts(ids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]


def _generations(folder: Path) -> list[Path]:
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return [folder / str(number) for number in sorted(int(n) for n in names if n.isdecimal())]


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
