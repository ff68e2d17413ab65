"""Which part of the documents a search is limited to."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from research_agent.core.paths import is_below
from research_agent.core.types import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a hit has to be; empty fields allow everything."""

    documents: tuple[str, ...] = ()
    """Display names, in any case; `*` and `?` as in file names."""
    doc_ids: frozenset[str] = frozenset()
    """Display names, letter by letter, such as those that a file filter names."""
    folders: tuple[str, ...] = ()
    """Absolute paths of files or folders."""
    kinds: tuple[str, ...] = ()
    """Kinds of chunks, such as "table"."""
    since: str = ""
    """ISO 8601: a year, a month or a day; documents without a date are left out."""
    until: str = ""
    exclude: frozenset[str] = frozenset()
    """Chunk ids that are not wanted again."""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYTHING

    def admits(self, chunk: Chunk) -> bool:
        """Return whether a chunk is in the scope.

        >>> Scope(documents=("guide*",), since="2024-03").admits(
        ...     Chunk("x", "Guide 2", "text", date="2024-04-01"))
        True
        """
        return (
            chunk.chunk_id not in self.exclude
            and (not self.kinds or chunk.kind in self.kinds)
            and self.admits_document(chunk.doc_id, chunk.source, chunk.date)
        )

    def admits_document(self, doc_id: str, source: str, date: str) -> bool:
        """Return whether any chunk of a document can be in the scope.

        >>> Scope(documents=("guide*",)).admits_document("Guide 2", "/docs/Guide 2.pdf", "")
        True
        """
        return (
            _any_of(self.documents, doc_id.casefold())
            and (not self.doc_ids or doc_id in self.doc_ids)
            and (not self.folders or is_below(source, self.folders))
            and _is_between(date, self.since, self.until)
        )


EVERYTHING = Scope()


def _any_of(patterns: Sequence[str], name: str) -> bool:
    return not patterns or any(fnmatchcase(name, pattern.casefold()) for pattern in patterns)


def _is_between(date: str, since: str, until: str) -> bool:
    """Compare dates as far as both are known: a year is in every one of its months."""
    if not (since or until):
        return True
    after = not since or date[: len(since)] >= since[: len(date)]
    before = not until or date[: len(until)] <= until[: len(date)]
    return bool(date) and after and before
