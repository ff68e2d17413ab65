"""Vectors in Chroma: a cache that can be made again from the ledger.

Chroma's own counts and its search can differ after a kill during a write, and opening damaged
files can end the process. So a small file beside them says which generation they show. It is
taken away before the first write and comes back after the last one: files without it are never
opened, but made anew.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from research_agent.core.records import VectorKey
from research_agent.errors import IndexDamagedError, IndexingError

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

COLLECTION = "chunks"
SPACE = "cosine"
VERSION = 1
"""Of what is written into a collection; another one is made anew."""
_PAGE = 1000  # rows read or written at a time: Chroma takes no more than some 5,000
_STATE = "current.json"

Fetch = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Vectors by their ids, in order."""


def shown_generation(folder: Path) -> int:
    """Return the generation of the ledger that the files in `folder` show; 0: none, or unclean."""
    return _state(folder).get("generation", 0)


def shown_vectors(folder: Path) -> int:
    """Return how many vectors the files in `folder` hold, as it was found after writing them."""
    return _state(folder).get("vectors", 0)


def sync(folder: Path, generation: int, keys: Mapping[str, VectorKey], fetch: Fetch) -> None:
    """Make Chroma hold exactly the vectors in `keys`; only new ones are fetched.

    What cannot be opened, or does not hold the right ids afterwards, is made anew once. Raises
    IndexDamagedError where that does not help, IndexingError where the disk does not take it.
    """
    try:
        if shown_generation(folder):
            try:
                _write(folder, generation, keys, fetch)
            except IndexDamagedError:
                pass
            else:
                return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder, generation, keys, fetch)
    except OSError as error:
        raise IndexingError(
            f"The vectors cannot be written: {error}.", hint="Look at the free space."
        ) from error


@contextmanager
def faults() -> Iterator[None]:
    """Turn Chroma's errors into IndexDamagedError."""
    try:
        yield
    except (IndexingError, OSError):
        raise
    except Exception as error:  # (Chroma raises errors of a dozen unrelated classes)
        raise IndexDamagedError(
            f"Chroma cannot read its files: {error}",
            hint="Ask again: they are made anew from the index.",
        ) from error


@contextmanager
def opened(folder: Path, *, create: bool = False) -> "Iterator[Collection]":
    """Open the collection; what goes wrong inside is raised as IndexDamagedError."""
    with faults():
        import chromadb
        from chromadb.config import Settings

        quiet = Settings(anonymized_telemetry=False)
        with cast("Client", chromadb.PersistentClient(folder, settings=quiet)) as client:
            if create:
                client.get_or_create_collection(
                    COLLECTION,
                    configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
                    embedding_function=None,
                )
            collection = client.get_collection(COLLECTION, embedding_function=None)
            space = (collection.configuration_json.get("hnsw") or {}).get("space")
            if space != SPACE:
                raise IndexDamagedError(f"Chroma compares by {space}, not by {SPACE}.")
            yield collection


def pages(collection: "Collection", *include: Literal["embeddings", "metadatas"]) -> Iterator[Any]:
    """Yield everything in the collection, a page at a time."""
    offset = 0
    while True:
        page = collection.get(include=list(include), limit=_PAGE, offset=offset)
        if not page["ids"]:
            return
        yield page
        offset += len(page["ids"])


def _write(folder: Path, generation: int, keys: Mapping[str, VectorKey], fetch: Fetch) -> None:
    """Bring the collection from one generation to the next."""
    state = folder / _STATE
    state.unlink(missing_ok=True)
    with opened(folder, create=True) as collection:
        held = {
            vector_id: VectorKey(str(about["digest"]), int(about["windows"]))
            for page in pages(collection, "metadatas")
            for vector_id, about in zip(page["ids"], page["metadatas"], strict=True)
        }
        gone = [vector_id for vector_id in held if vector_id not in keys]
        new = [vector_id for vector_id, key in keys.items() if held.get(vector_id) != key]
        for ids in _parts(gone):
            collection.delete(ids=ids)
        for ids in _parts(new):
            collection.upsert(
                ids=ids,
                embeddings=list(fetch(ids)),
                metadatas=[{"digest": keys[i].digest, "windows": keys[i].windows} for i in ids],
            )
        if {i for page in pages(collection) for i in page["ids"]} != keys.keys():
            raise IndexDamagedError("Chroma does not hold the vectors that were written.")
    text = json.dumps({"version": VERSION, "generation": generation, "vectors": len(keys)})
    written = state.with_suffix(".new")
    written.write_text(text, encoding="utf-8")
    written.replace(state)


def _parts(ids: list[str]) -> Iterator[list[str]]:
    """Yield a list in parts that Chroma takes."""
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]


def _state(folder: Path) -> dict[str, int]:
    """Return what was noted after the last write; empty where there is no clean one."""
    try:
        state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        if state["version"] != VERSION:
            return {}
        return {key: int(state[key]) for key in ("generation", "vectors")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
