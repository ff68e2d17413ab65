"""Indexes that several machines share: opened, written, compacted, removed, one for each tenant."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from research_agent.errors import ConfigError, IndexMissingError, PathError
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.shared.storage import Storage
from research_agent.text.paths import LOCAL, is_shared
from research_agent.types.records import DocumentRecord

if TYPE_CHECKING:
    from research_agent.index.adapters.shared.reading import SharedReader
    from research_agent.index.adapters.shared.tables import Exported, Linked
    from research_agent.index.adapters.shared.writing import SharedWriter

OLD = timedelta(hours=1)
"""Readers may use a generation for so long after the next one was published."""
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


def storage_of(location: str, *, offline: bool = False) -> Storage:
    """Return the storage of a shared index; raises PathError, ConfigError."""
    storage = Storage.at(location)
    if offline and not storage.is_local:
        raise ConfigError(
            f"The index {location} is not on this machine, and models.offline is set.",
            hint="Leave out --offline, or copy it: research-agent index --copy FROM TO",
        )
    return storage


def tenant_index(root: str, name: str) -> str:
    """Return the location of the index of tenant `name` below `root`.

    `root` is a folder, or what a shared index's location begins with. Raises PathError for a name
    that is not of lower-case letters, digits, "-" and "_", or that leads out of `root` by a link.

    >>> tenant_index("s3://bucket/team", "acme")
    's3://bucket/team/acme'
    """
    if not _TENANT.fullmatch(name):
        raise PathError(
            f"{name!r} is no name of a tenant's index.",
            hint="Use 1 to 63 lower-case letters, digits, hyphens and underscores.",
        )
    location = f"{root.rstrip('/')}/{name}"
    if not is_shared(root) or root.startswith(LOCAL):
        top = Path(root.removeprefix(LOCAL)).expanduser().absolute()
        if (top / name).resolve() != top.resolve() / name:
            raise PathError(f"The index {name} leads out of {root}.", hint="Take the link away.")
    return location


def full_location(location: str) -> str:
    """Return the location of an index as it is named from any folder."""
    if "/" not in location or is_shared(location):
        return location
    return str(Path(location).expanduser().absolute())


@contextmanager
def shared_writer(
    storage: Storage, model: str, *, rebuild: bool = False
) -> "Iterator[SharedWriter]":
    """Yield the one writer; an index that was begun here is taken away where nothing is indexed."""
    from research_agent.index.adapters.shared.generations import exists
    from research_agent.index.adapters.shared.writing import SharedWriter

    is_new = not exists(storage)
    try:
        with SharedWriter(storage, model=model, linker=link, rebuild=rebuild) as writer:
            yield writer
    except PathError:
        if is_new:
            storage.delete(storage.names())
        raise


def shared_reader(location: str, *, offline: bool = False) -> "SharedReader":
    """Open the last generation of a shared index; raises IndexingError, PathError, ConfigError."""
    from research_agent.index.adapters.shared.reading import SharedReader

    return SharedReader(storage_of(location, offline=offline))


def shared_records(location: str, model: str, *, offline: bool) -> list[DocumentRecord]:
    """Return the published documents of a shared index, none where there is none yet.

    Raises IndexMismatchError where it holds vectors of another model, IndexingError.
    """
    try:
        reader = shared_reader(location, offline=offline)
    except IndexMissingError:
        return []
    reader.check(model)
    return [kept.record for kept in reader.kept()]


def link(documents: "Iterable[Exported]") -> "Linked":
    """Return the edges of documents, as a ledger of them alone has them."""
    from research_agent.index.adapters.shared.tables import Linked

    with TemporaryDirectory(prefix="research-agent-") as folder:
        path = Path(folder) / "ledger.sqlite3"
        with LedgerWriter(path, "for linking", model="none", durable=False) as writer:
            for record, chunks, _ in documents:
                writer.put(record, [replace(chunk, windows=()) for chunk in chunks])
            writer.publish({}, ())
            unresolved = {record.key: record.unresolved for record in writer.documents()}
        with LedgerReader(path, "for linking") as ledger:
            return Linked(ledger.edges(list(ledger.chunk_digests())), unresolved)


def compact(location: str, *, older_than: timedelta = OLD) -> None:
    """Merge the small files of a shared index, and delete old versions of its tables.

    Raises PathError for an index of another kind, IndexLockedError, IndexingError.
    """
    if not is_shared(location):
        raise PathError(
            f"The index {location} is not shared; it needs no compaction.",
            hint="Leave out --compact.",
        )
    from research_agent.index.adapters.shared.generations import published

    storage = storage_of(location)
    with shared_writer(storage, published(storage).model) as writer:
        writer.compact(older_than)


def remove_shared(location: str) -> None:
    """Delete a shared index; raises IndexMissingError, IndexLockedError, IndexingError."""
    from research_agent.index.adapters.shared.generations import Lease, exists

    storage = storage_of(location)
    if not exists(storage):
        raise IndexMissingError(
            f"There is no index {location}; nothing was removed.",
            hint="Look at its name, and at that of its bucket.",
        )
    with Lease(storage):
        names = storage.names()
        storage.delete([name for name in names if not name.startswith("writer/")])
