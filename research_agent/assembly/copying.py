"""Copies of an index without embedding again: into another folder, a bucket, or one file."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from research_agent.assembly.index import index_header
from research_agent.assembly.shared import shared_reader
from research_agent.assembly.updating import written_index
from research_agent.errors import IndexMissingError, PathError
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.schema import connect, faults
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.ports import IndexWriter
from research_agent.settings import Settings
from research_agent.text.paths import is_shared
from research_agent.types.records import DocumentRecord, IndexedChunk, IndexHeader

ENDING = ".sqlite3"
"""A location that ends so is one file, which holds a whole index."""
Documents = Iterable[tuple[DocumentRecord, list[IndexedChunk], tuple[str, ...]]]


def copy_index(
    source: str,
    target: str,
    settings: Settings,
    on_document: Callable[[int], None] = lambda _number: None,
) -> IndexHeader:
    """Write all published documents of one index into another that is not there yet.

    Either may be a name, a folder, a shared index, or a file that ends in ".sqlite3". Returns what
    the source says about itself; `on_document` is told how many are written. Raises PathError
    where the target is there, IndexMissingError and other IndexingError.
    """
    header, documents = _read(source, settings)
    with _written(target, header.model, settings) as writer:
        for number, (record, chunks, page_texts) in enumerate(documents, start=1):
            writer.put(record, chunks, page_texts=page_texts)
            on_document(number)
        writer.publish({}, ())
    return header


def _read(location: str, settings: Settings) -> tuple[IndexHeader, Documents]:
    if is_shared(location):
        reader = shared_reader(location, offline=settings.models.offline)
        return reader.header(), reader.exported()
    if location.endswith(ENDING):
        path, label = Path(location).expanduser().absolute(), location
        with LedgerReader(path, label) as ledger:
            return ledger.header(), _exported(path, label)
    folder = locate(location)
    folder.close_to_others()
    return index_header(location), _exported(folder.current().ledger, folder.label)


def _exported(path: Path, label: str) -> Documents:
    with LedgerReader(path, label) as ledger:
        yield from ledger.exported()


@contextmanager
def _written(location: str, model: str, settings: Settings) -> Iterator[IndexWriter]:
    if location.endswith(ENDING) and not is_shared(location):
        yield from _written_file(Path(location).expanduser().absolute(), model)
        return
    with suppress(IndexMissingError):
        if is_shared(location):
            index_header(location, offline=settings.models.offline)
        if is_shared(location) or locate(location).exists():
            raise _there(location)
    try:
        with written_index(location, model, settings) as writer:
            yield writer
    except BaseException:
        if not is_shared(location):
            locate(location).remove()
        raise


def _written_file(path: Path, model: str) -> Iterator[IndexWriter]:
    """Yield the writer of a file, which has its name when it is whole."""
    new = path.with_name(f"{path.name}.new")
    if path.exists():
        raise _there(str(path))
    new.unlink(missing_ok=True)
    try:
        with LedgerWriter(new, str(path), model=model) as writer:
            yield writer
        with faults(str(path)):
            connection = connect(new, str(path), writable=True)
            connection.execute("PRAGMA journal_mode = DELETE")  # (one file, not three)
            connection.close()
            new.rename(path)
    finally:
        for ending in ("", "-wal", "-shm"):
            new.with_name(new.name + ending).unlink(missing_ok=True)


def _there(location: str) -> PathError:
    return PathError(
        f"There is something at {location} already; nothing was copied.",
        hint=f"Name another place, or remove it: research-agent index --remove {location}",
    )
