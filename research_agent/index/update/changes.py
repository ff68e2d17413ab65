"""What has become of each document since it was last read; decided before anything is done."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

from research_agent.errors import PathError
from research_agent.index.unreachable_roots import Sight
from research_agent.index.update.finding import emptied, find
from research_agent.ports import FileSource
from research_agent.text.paths import is_below
from research_agent.types.documents import FileReport, FoundFiles, SourceFile
from research_agent.types.records import DocumentRecord

STAYS = "what was indexed of it stays until the index is made with --rebuild"
PRUNE = " (or, if it is meant to be empty, until --prune is given)"


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to the index: untouched, of the same content as a document, or to be read."""

    kind: Literal["untouched", "same", "changed", "new"]
    record: DocumentRecord | None = None
    """The document it is, or was; None for a new one."""
    digest: str = ""
    """SHA-256 of its content; empty where it need not be known."""


@dataclass
class Changes:
    """The files of one run beside the documents that are known."""

    files: FileSource
    recipe: str
    """All that chunks and vectors depend on, beside the document and the model."""
    known: dict[str, DocumentRecord]
    """Every document by its path."""
    found: FoundFiles
    below: list[DocumentRecord]
    """Known documents below the paths of this run."""
    absent: tuple[FileReport, ...]
    """Paths that are not there."""
    emptied: tuple[FileReport, ...]
    """Paths that held documents, and hold none any more."""
    sight: Sight
    moved: dict[str, SourceFile] = field(default_factory=dict)
    """Files with the content of a document, by its key."""

    def __post_init__(self) -> None:
        """Make what is looked up for every new file."""
        self.there = frozenset(file.path for file in self.found.files)
        self._by_digest: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
        for record in self.known.values():
            self._by_digest[record.digest].append(record)

    @classmethod
    def of(
        cls,
        paths: Sequence[str],
        files: FileSource,
        records: Iterable[DocumentRecord],
        *,
        recipe: str,
        prune: bool,
    ) -> Self:
        """Look at everything below `paths`; with `prune` an empty folder tells that all is gone.

        Raises PathError where there is nothing to index at all.
        """
        found, absent = find(paths, files)
        known = {record.path: record for record in records}
        below = [record for record in known.values() if is_below(record.path, paths)]
        if not (found.files or found.skipped or below):
            raise PathError(
                "There is nothing to index: " + ", ".join(paths),
                hint="Name a document, or a folder that holds some: research-agent index PATH…",
            )
        failed = [r.path for r in (*absent, *found.skipped) if r.status == "failed"]
        here = [path for path in paths if not any(is_below(other, [path]) for other in failed)]
        empty = () if prune else emptied(here, found.files, below)
        sight = Sight.of(paths, found.files, (*absent, *empty))
        return cls(files, recipe, known, found, below, absent, empty, sight)

    def of_file(self, file: SourceFile) -> Change:
        """Return what became of one file; raises DocumentError where it cannot be read."""
        record = self.known.get(file.path)
        if record and self._is_current(record) and _is_untouched(record, file):
            return Change("untouched", record)
        digest = self.files.digest(file.path)
        record = record or self._renamed(digest)
        if record and self._is_current(record) and record.digest == digest:
            self.moved[record.key] = file
            return Change("same", record, digest)
        return Change("changed" if record else "new", record, digest)

    def missing(
        self, renewed: Collection[str]
    ) -> Iterator[tuple[DocumentRecord | None, FileReport]]:
        """Yield what is not below the paths any more, or left alone there, and its report.

        A document comes with its report where it is seen to be gone. Those with a key in `renewed`
        were read again.
        """
        told = set()
        for record in self.below:
            if record.path in self.there or record.key in self.moved or record.key in renewed:
                continue
            why = self.sight.hidden_by(record.path) or next(
                (r for r in self.found.skipped if is_below(record.path, [r.path])), None
            )
            unseen = why is not None and why.status == "failed"  # (a folder that cannot be read)
            if not unseen and self._is_gone(record.path):
                yield record, FileReport(record.path, "removed", chunks=record.chunks)
            elif record.status == "indexed":
                told.add(record.path)
                reason = f"{why.reason if why else 'left alone now'}; {STAYS}"
                reason += PRUNE if why and why in self.emptied else ""
                yield None, FileReport(record.path, "skipped", reason, record.chunks)
        for report in self.found.skipped:
            if report.path not in told:
                yield None, report
        for report in (*self.absent, *self.emptied):
            yield None, report

    def _is_current(self, record: DocumentRecord) -> bool:
        """Return whether a document need not be read again, if its file is the same."""
        return record.status != "failed" and record.recipe == self.recipe

    def _renamed(self, digest: str) -> DocumentRecord | None:
        """Return the document that had this content under a path that is gone."""
        for record in self._by_digest[digest]:
            taken = record.path in self.there or record.key in self.moved
            if not taken and self._is_gone(record.path):
                return record
        return None

    def _is_gone(self, path: str) -> bool:
        """Return whether a file is known not to exist any more."""
        if self.sight.hidden_by(path):
            return False
        try:
            self.files.find([path])
        except PathError:
            return True
        return False


def _is_untouched(record: DocumentRecord, file: SourceFile) -> bool:
    """Return whether a file looks as it did when it was read."""
    return (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
