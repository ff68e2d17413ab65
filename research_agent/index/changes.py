"""What has become of each document since it was last read; decided before anything is done."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from research_agent.errors import PathError
from research_agent.index.ports import FileSource
from research_agent.text.paths import is_below
from research_agent.types.documents import FileReport, FoundFiles, SourceFile
from research_agent.types.records import DocumentRecord, wants_ocr

STAYS = "what was indexed of it stays until the index is made with --rebuild"
PRUNE = " (or, if it is meant to be empty, until --prune is given)"
EMPTIED = "it holds no document any more (is its disk connected?)"
NAME_ONE = "Name a document, or a folder that holds some: research-agent index PATH…"


class Change(NamedTuple):
    """What a file is to the index: the content of a document, or to be read."""

    record: DocumentRecord | None  # the document it is, or was; None for a new one
    digest: str = ""  # SHA-256 of its content; empty where it need not be known
    to_read: bool = False


class Changes:
    """The files of one run beside the documents that are known."""

    def __init__(
        self,
        paths: Sequence[str],
        files: FileSource,
        records: Iterable[DocumentRecord],
        *,
        recipe: str,
        prune: bool,
        scans: bool = False,
    ) -> None:
        """Look at everything below `paths`; with `prune` what an empty folder held counts as gone.

        With `scans`, documents with pages that have no text are read again. `recipe` is all that
        chunks and vectors depend on, beside the document and the model. Raises PathError where
        there is nothing to index at all.
        """
        self.found, self._absent = _find(paths, files)
        self.known = {record.path: record for record in records}
        self._below = [r for r in self.known.values() if is_below(r.path, paths)]
        if not (self.found.files or self.found.skipped or self._below):
            raise PathError("There is nothing to index: " + ", ".join(paths), hint=NAME_ONE)
        self.there = frozenset(file.path for file in self.found.files)
        self._emptied = () if prune else self._emptied_of(paths)
        self.moved: dict[str, SourceFile] = {}
        self._files, self.recipe, self._scans = files, recipe, scans
        missing = {report.path for report in (*self._absent, *self._emptied)}
        self._roots = [path for path in paths if path not in missing]
        self._folders = {_folder(path) for path in self.there}
        self._by_digest: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
        for record in self.known.values():
            self._by_digest[record.digest].append(record)

    def of_file(self, file: SourceFile) -> Change:
        """Return what became of one file; raises DocumentError where it cannot be read."""
        record = self.known.get(file.path)
        looks_same = record and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
        if record and looks_same and self._is_current(record):
            return Change(record)
        digest = self._files.digest(file.path)
        record = record or self._renamed(digest, file.path)
        if record and self._is_current(record) and record.digest == digest:
            self.moved[record.key] = file
            return Change(record, digest)
        return Change(record, digest, to_read=True)

    def missing(
        self, renewed: Collection[str]
    ) -> Iterator[tuple[DocumentRecord | None, FileReport]]:
        """Yield reports of what was not read (`renewed`: keys that were), with gone documents."""
        reported = set()
        for record in self._below:
            if record.path in self.there or record.key in self.moved or record.key in renewed:
                continue
            left_alone = (r for r in self.found.skipped if is_below(record.path, [r.path]))
            why = self._hidden_by(record.path) or next(left_alone, None)
            unseen = why is not None and why.status == "failed"  # (a folder that cannot be read)
            if not unseen and self._is_gone(record.path):
                yield record, FileReport(record.path, "removed", chunks=record.chunks)
            elif record.status == "indexed":
                reported.add(record.path)
                reason = f"{why.reason if why else 'left alone now'}; {STAYS}"
                reason += PRUNE if why and why in self._emptied else ""
                yield None, FileReport(record.path, "skipped", reason, record.chunks)
        skipped = (report for report in self.found.skipped if report.path not in reported)
        for report in (*skipped, *self._absent, *self._emptied):
            yield None, report

    def _is_current(self, record: DocumentRecord) -> bool:
        is_read = record.status != "failed" and not (self._scans and wants_ocr(record))
        return is_read and record.recipe == self.recipe

    def _renamed(self, digest: str, path: str) -> DocumentRecord | None:
        """Return what was at another path; with another ending it would be read otherwise."""
        for record in self._by_digest[digest]:
            if _ending(record.path) != _ending(path):
                continue
            taken = record.path in self.there or record.key in self.moved
            if not taken and self._is_gone(record.path):
                return record
        return None

    def _is_gone(self, path: str) -> bool:
        if self._hidden_by(path):
            return False
        try:
            self._files.find([path])
        except PathError:
            return True
        return False

    def _hidden_by(self, path: str) -> FileReport | None:
        """Return the absent or empty path because of which nothing is known of a file, if any."""
        if is_below(path, self._roots) or _folder(path) in self._folders:
            return None
        hiding = (*self._absent, *self._emptied)
        return next((report for report in hiding if is_below(path, [report.path])), None)

    def _emptied_of(self, paths: Sequence[str]) -> tuple[FileReport, ...]:
        """Return the paths that held documents and now hold no file: its disk may be away."""
        reports = (*self._absent, *self.found.skipped)
        failed = [report.path for report in reports if report.status == "failed"]
        held = [record.path for record in self._below if record.status == "indexed"]
        return tuple(
            FileReport(path, "failed", EMPTIED)
            for path in sorted(set(paths))
            if not any(is_below(other, [path]) for other in (*failed, *self.there))
            and any(is_below(document, [path]) for document in held)
        )


def _find(paths: Sequence[str], files: FileSource) -> tuple[FoundFiles, tuple[FileReport, ...]]:
    """Return what is below all paths, each file once, and the paths that do not exist."""
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
        raise PathError("; ".join(reasons.values()) or "There is nothing to index.", hint=NAME_ONE)
    left = tuple(report for path, report in skipped.items() if path not in found)
    return FoundFiles(tuple(found.values()), left), tuple(absent.values())


def _folder(path: str) -> str:
    return path[: max(path.rfind("/"), path.rfind("\\"), 0)]


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
