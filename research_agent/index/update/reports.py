"""What a run of indexing says."""

from collections.abc import Callable
from typing import Literal

from research_agent.types.documents import FileReport, SourceFile
from research_agent.types.records import DocumentRecord, IndexProgress

OnProgress = Callable[[IndexProgress], None]
"""Told where indexing is."""


def unchanged(record: DocumentRecord, file: SourceFile) -> FileReport:
    """Report a document that need not be read again; a run before may have read it."""
    reason = record.reason if file.path == record.path else f"moved from {record.path}"
    if record.status == "skipped":
        return FileReport(file.path, "skipped", reason)
    status: Literal["unchanged", "indexed"] = "unchanged" if record.published else "indexed"
    return FileReport(file.path, status, reason, record.chunks)
