"""Which part of the documents a search is limited to."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from research_agent.errors import ToolInputError
from research_agent.text.paths import is_below
from research_agent.types import Chunk
from research_agent.types.file_filter import NEAREST, nearest_documents, plain
from research_agent.types.records import DocumentOutline

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a hit has to be; empty fields allow everything."""

    documents: tuple[str, ...] = ()
    """Display names, file names or ends of paths, in any case; `*` and `?` as in file names."""
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
            (not self.documents or any(_fits(name, doc_id, source) for name in self.documents))
            and (not self.doc_ids or doc_id in self.doc_ids)
            and (not self.folders or is_below(source, self.folders))
            and _is_between(date, self.since, self.until)
        )


EVERYTHING = Scope()


def scope_of(given: Mapping[str, Any]) -> Scope:
    """Return the scope that plain values name, as a conversation keeps them.

    >>> scope_of({"documents": ["guide"], "since": "2024"}).documents
    ('guide',)
    """
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    return Scope(**fields)


def check_scope(scope: Scope, listed: Callable[[], Sequence[DocumentOutline]]) -> None:
    """Raise ToolInputError for a scope without any of the documents that are `listed`.

    Each of its names and folders has to fit a document, and at least one has to be left. The hint
    names the nearest ones.

    >>> check_scope(Scope(documents=("gide",)), lambda: [DocumentOutline("guide")])
    Traceback (most recent call last):
    research_agent.errors.ToolInputError: no document fits 'gide'
    The nearest: 'guide'.
    """
    if replace(scope, kinds=(), exclude=frozenset()).everything:
        return
    check_dates(scope.since, scope.until)
    documents = listed()
    names = [one.doc_id for one in documents]
    for name in scope.documents:
        if not any(_fits(name, one.doc_id, one.source) for one in documents):
            hint = nearest_documents(names, plain(name))
            raise ToolInputError(f"no document fits {name[:80]!r}", hint=hint)
    for folder in scope.folders:
        if not any(is_below(one.source, [folder]) for one in documents):
            hint = _nearest_folders(folder, documents)
            raise ToolInputError(f"no document is in the folder {folder[:200]}", hint=hint)
    if not any(scope.admits_document(one.doc_id, one.source, one.date) for one in documents):
        raise ToolInputError("no document is within the scope", hint=_dated(documents))


def check_dates(since: str, until: str) -> None:
    """Raise ToolInputError for what is no date, and for a period that ends before it begins.

    >>> check_dates("2024", "2024-08-13")
    """
    for text in filter(None, (since, until)):
        if not _is_date(text):
            raise ToolInputError(
                f"{text[:80]!r} is no date", hint="Dates are such as 2024, 2024-08 or 2024-08-13."
            )
    if since and until and not _is_between(since, since, until):
        raise ToolInputError(
            f"the scope ends ({until}) before it begins ({since})", hint="Change one of both dates."
        )


def _is_date(text: str) -> bool:
    """Return whether a year, a month or a day is one of the calendar.

    >>> [_is_date(text) for text in ("2024", "2024-02-29", "2023-02-29", "2024-13", "soon")]
    [True, True, False, False, False]
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = (int(part or 1) for part in found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]  # noqa: PLR2004 (months)


def _dated(documents: Sequence[DocumentOutline]) -> str:
    """Return which dates the documents have."""
    dates = sorted(one.date for one in documents if one.date)
    span = f"Documents are dated from {dates[0]} to {dates[-1]}. " if dates else ""
    undated = len(documents) - len(dates)
    return f"{span}{undated} of {len(documents)} documents have no date. Leave out a limit."


def _nearest_folders(folder: str, documents: Sequence[DocumentOutline]) -> str:
    """Return a hint with the folders that one is most like, else with the first ones."""
    folders = sorted({one.source.rpartition("/")[0] for one in documents if "/" in one.source})
    near = get_close_matches(folder, folders, n=NEAREST) or folders[:NEAREST]
    return f"Folders with documents: {', '.join(near) or 'none'}."


@lru_cache(maxsize=4096)
def _fits(pattern: str, doc_id: str, source: str) -> bool:
    """Return whether a name or a glob names a document.

    A glob fits the display name, or the end of the path folder by folder.

    >>> [_fits(one, "a", "/docs/old/a.md") for one in ("A", "a.md", "old/*.md", "docs/*")]
    [True, True, True, False]
    """
    wanted, name, path = plain(pattern), plain(doc_id), plain(source)
    if not wanted:
        return False
    if wanted == name or f"/{path}".endswith(f"/{wanted}"):
        return True
    globs, parts = wanted.removeprefix("./").split("/"), path.split("/")
    whole = not globs[0] and len(globs) != len(parts)  # (an absolute one is for a whole path)
    end = zip(globs, parts[-len(globs) :], strict=False)
    fits_path = len(globs) <= len(parts) and not whole and all(fnmatchcase(p, g) for g, p in end)
    return fits_path or fnmatchcase(name, wanted)


def _is_between(date: str, since: str, until: str) -> bool:
    """Compare dates as far as both are known: a year is in every one of its months."""
    if not (since or until):
        return True
    after = not since or date[: len(since)] >= since[: len(date)]
    before = not until or date[: len(until)] <= until[: len(date)]
    return bool(date) and after and before
