"""Which files there are below the named paths, and where files can be seen to be gone."""

from collections.abc import Collection, Sequence

from research_agent.errors import PathError
from research_agent.ports import FileSource
from research_agent.text.paths import is_below
from research_agent.types.documents import FileReport, FoundFiles, SourceFile
from research_agent.types.records import DocumentRecord


def find(paths: Sequence[str], files: FileSource) -> tuple[FoundFiles, tuple[FileReport, ...]]:
    """Return what is below all paths, each file once, and the paths that do not exist.

    Raises PathError where none of them can be read.
    """
    found: dict[str, SourceFile] = {}
    skipped: dict[str, FileReport] = {}
    absent: dict[str, FileReport] = {}
    for path in paths:
        try:
            below = files.find([path])
        except PathError as error:
            absent[path] = FileReport(path, "failed", str(error))
            continue
        found.update((file.path, file) for file in below.files)
        skipped.update((report.path, report) for report in below.skipped)
    reasons = {path: report.reason for path, report in absent.items()}
    for path in paths:
        if path in skipped and skipped[path].status == "failed":
            reasons[path] = f"{path}: {skipped[path].reason}"
    if len(reasons) == len(set(paths)):
        raise PathError(
            "; ".join(reasons.values()) or "There is nothing to index.",
            hint="Name a document, or a folder that holds some: research-agent index PATH…",
        )
    left = tuple(report for path, report in skipped.items() if path not in found)
    return FoundFiles(tuple(found.values()), left), tuple(absent.values())


def emptied(
    paths: Collection[str], files: Collection[SourceFile], known: Collection[DocumentRecord]
) -> tuple[FileReport, ...]:
    """Return the paths that held documents and now hold no file at all.

    That is how a disk that is not connected looks, so it does not tell that they are gone.
    """
    reason = "it holds no document any more (is its disk connected?)"
    return tuple(
        FileReport(path, "failed", reason)
        for path in sorted(set(paths))
        if any(is_below(record.path, [path]) for record in known if record.status == "indexed")
        and not any(is_below(file.path, [path]) for file in files)
    )
