"""The step that brings an index up to date with the user's files."""

from collections.abc import Iterable, Iterator, Sequence

from research_agent.index.update.changes import Changes
from research_agent.index.update.links import with_unresolved
from research_agent.index.update.preview import preview_documents
from research_agent.index.update.recipe import CHUNKING, recipe
from research_agent.index.update.reports import OnProgress
from research_agent.index.update.run import Run
from research_agent.ports import IndexingPorts
from research_agent.types.documents import FileReport, IndexReport
from research_agent.types.records import DocumentRecord

__all__ = ["CHUNKING", "OnProgress", "index_documents", "preview_documents"]


def index_documents(
    paths: Sequence[str],
    *,
    ports: IndexingPorts,
    chunk_chars: int,
    on_progress: OnProgress = lambda _: None,
    prune: bool = False,
) -> IndexReport:
    """Index what is new or changed below `paths`, and forget what is gone there.

    `paths` are absolute. Documents elsewhere stay as they are, and so do those below a path that is
    not there itself or, without `prune`, holds no document any more: that is how a disk that is not
    connected looks. A file that fails is one line of the report, and a version of it that could be
    read before stays. No text is embedded twice.

    Raises PathError where there is nothing to index at all. IndexingError and ModelError end the
    run; the next one goes on where it ended.
    """
    records = ports.writer.documents()
    wanted = recipe(chunk_chars)
    changes = Changes.of(paths, ports.files, records, recipe=wanted, prune=prune)
    run = Run(ports, changes, chunk_chars, on_progress)
    reports = list(run.reports())
    removed = []
    for record, report in changes.missing(run.renewed):
        if record:
            removed.append(record.key)
        if record is None or record.status == "indexed":
            reports.append(report)
    ports.writer.publish(changes.moved, removed)
    kept = [record for record in ports.writer.documents() if record.status == "indexed"]
    return IndexReport(
        (*with_unresolved(reports, kept), *_cut_otherwise(kept, changes)),
        chunks=sum(record.chunks for record in kept),
        documents=len(kept),
        embedded=run.embedded,
    )


def _cut_otherwise(kept: Iterable[DocumentRecord], changes: Changes) -> Iterator[FileReport]:
    """Name documents outside of this run that are still cut by another recipe."""
    for record in kept:
        if record.recipe != changes.recipe and record.path not in changes.there:
            reason = f"still cut with {record.recipe}: index its folder again"
            yield FileReport(record.path, "unchanged", reason, record.chunks)
