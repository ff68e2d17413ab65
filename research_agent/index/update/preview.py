"""What bringing an index up to date would do, without doing it."""

from collections.abc import Collection, Sequence

from research_agent.errors import DocumentError
from research_agent.index.update.changes import Changes
from research_agent.index.update.recipe import recipe
from research_agent.index.update.reports import unchanged
from research_agent.ports import FileSource
from research_agent.types.documents import FileReport, IndexReport, SourceFile
from research_agent.types.records import DocumentRecord


def preview_documents(
    paths: Sequence[str],
    *,
    files: FileSource,
    records: Collection[DocumentRecord],
    chunk_chars: int,
    prune: bool = False,
) -> IndexReport:
    """Return what `index_documents` would do, for an index that holds `records`.

    Files are looked at and, where their size or time has changed, hashed; none is parsed, so one
    that is said to be added or changed may still turn out to be unreadable. Raises PathError where
    there is nothing to index at all.
    """
    wanted = recipe(chunk_chars)
    changes = Changes.of(paths, files, records, recipe=wanted, prune=prune)
    renewed: set[str] = set()
    reports = [_planned(file, changes, renewed) for file in changes.found.files]
    for record, report in changes.missing(renewed):
        if record is None or record.status == "indexed":
            reports.append(report)
    indexed = [record for record in records if record.status == "indexed"]
    return IndexReport(
        tuple(reports), chunks=sum(record.chunks for record in indexed), documents=len(indexed)
    )


def _planned(file: SourceFile, changes: Changes, renewed: set[str]) -> FileReport:
    """Return what would become of one file."""
    try:
        change = changes.of_file(file)
    except DocumentError as error:
        return FileReport(file.path, "failed", str(error))
    record = change.record
    if record is None:
        return FileReport(file.path, "added")
    if change.kind in {"untouched", "same"}:
        return unchanged(record, file)
    renewed.add(record.key)
    if record.recipe != changes.recipe and record.digest == change.digest:
        reason = f"cut anew with {changes.recipe} (before: {record.recipe})"
    else:
        reason = record.reason if record.status == "failed" else "its content has changed"
    return FileReport(file.path, "changed", reason, record.chunks)
