"""The step that brings an index up to date with the user's files, and what it would do."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from research_agent.errors import DocumentError
from research_agent.index.changes import Changes
from research_agent.index.ports import FileSource, IndexingPorts, ReadsScans
from research_agent.index.run import DAMAGED, OnProgress, Run, unchanged
from research_agent.types.documents import FileReport, IndexReport, SourceFile
from research_agent.types.records import CHUNKING, DocumentRecord, brought
from research_agent.types.references import unresolved_words


def index_documents(
    paths: Sequence[str],
    *,
    ports: IndexingPorts,
    chunk_chars: int,
    on_progress: OnProgress = lambda _: None,
    prune: bool = False,
) -> IndexReport:
    """Index what is new or changed below `paths` (absolute), and forget what is gone there.

    Documents elsewhere stay, and so do those below a path that is not there itself or, without
    `prune`, holds no document any more: a disk may be away. A file that fails is one line of the
    report, and a version that could be read before stays. No text is embedded twice.

    Raises PathError where there is nothing to index at all. IndexingError and ModelError end the
    run; the next one goes on where it ended.
    """
    records = ports.writer.documents()
    scans = isinstance(ports.reader, ReadsScans) and ports.reader.reads_scans
    recipe = _recipe(chunk_chars)
    changes = Changes(paths, ports.files, records, recipe=recipe, prune=prune, scans=scans)
    run = Run(ports, changes, chunk_chars, on_progress)
    reports, removed = run.reports(), []
    for record, report in changes.missing(run.renewed):
        if record:
            removed.append(record.key)
        if record is None or record.status == "indexed":
            reports.append(report)
    ports.writer.publish(changes.moved, removed)
    kept = [record for record in ports.writer.documents() if record.status == "indexed"]
    return IndexReport(
        (*_with_unresolved(reports, kept), *_cut_otherwise(kept, changes)),
        chunks=sum(record.chunks for record in kept),
        documents=len(kept),
        embedded=run.embedded,
    )


def preview_documents(
    paths: Sequence[str],
    *,
    files: FileSource,
    records: Collection[DocumentRecord],
    chunk_chars: int,
    prune: bool = False,
) -> IndexReport:
    """Return what `index_documents` would do, for an index that holds `records`.

    Files are looked at and, where their size or time has changed, hashed; none is parsed. Raises
    PathError where there is nothing to index at all.
    """
    changes = Changes(paths, files, records, recipe=_recipe(chunk_chars), prune=prune)
    renewed: set[str] = set()
    reports = [_planned(file, changes, renewed) for file in changes.found.files]
    for record, report in changes.missing(renewed):
        if record is None or record.status == "indexed":
            reports.append(report)
    indexed = [record for record in records if record.status == "indexed"]
    return IndexReport(
        tuple(reports), chunks=sum(record.chunks for record in indexed), documents=len(indexed)
    )


def _recipe(chunk_chars: int) -> str:
    return f"chunk_chars={chunk_chars} chunking={CHUNKING}"


def _planned(file: SourceFile, changes: Changes, renewed: set[str]) -> FileReport:
    try:
        change = changes.of_file(file)
    except DocumentError as error:
        return FileReport(file.path, "failed", str(error))
    record = change.record
    if record is None:
        return FileReport(file.path, "added")
    if not change.to_read:
        return unchanged(record, file)
    renewed.add(record.key)
    if record.recipe != changes.recipe and record.digest == change.digest:
        reason = f"cut anew with {changes.recipe} (before: {record.recipe})"
        if gain := brought(record.recipe):
            reason = f"{reason}; this brings {gain}"
    else:
        reason = record.reason if record.status == "failed" else "its content has changed"
        reason = reason if record.digest else DAMAGED
    return FileReport(file.path, "changed", reason, record.chunks)


def _with_unresolved(
    reports: Iterable[FileReport], kept: Iterable[DocumentRecord]
) -> Iterator[FileReport]:
    known = {record.path: unresolved_words(record.unresolved) for record in kept}
    for report in reports:
        unresolved = known.get(report.path, ()) if report.status == "indexed" else ()
        yield replace(report, reason="; ".join(filter(None, (report.reason, *unresolved))))


def _cut_otherwise(kept: Iterable[DocumentRecord], changes: Changes) -> Iterator[FileReport]:
    for record in kept:
        if not record.digest and record.path not in changes.there:
            reason = f"{DAMAGED}: index its folder again"
            yield FileReport(record.path, "failed", reason, record.chunks)
        elif record.recipe != changes.recipe and record.path not in changes.there:
            reason = f"still cut with {record.recipe}: index its folder again"
            yield FileReport(record.path, "unchanged", reason, record.chunks)
