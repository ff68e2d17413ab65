"""Which part of the documents a search is limited to: a question's scope, a call's file filter.

Names and paths are compared without case, Unicode form and kind of slash.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from posixpath import commonprefix
from typing import Any, get_args
from unicodedata import normalize

from research_agent.errors import ToolInputError
from research_agent.text.paths import is_below
from research_agent.types import Chunk, ChunkKind
from research_agent.types.records import DocumentOutline

KINDS: tuple[str, ...] = get_args(ChunkKind)
NEAREST = 3
"""Names that a hint suggests."""
LEAST_ALIKE = 0.4
"""How alike a name has to be to be suggested, from 0 to 1."""
SHOWN = 80
UNDATED = "scope: "
"""How the warning begins that a period leaves out documents without a date."""
WILD = frozenset("*?[")
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
    since: str = ""
    """ISO 8601: a year, a month or a day; documents without a date are left out."""
    until: str = ""
    exclude: frozenset[str] = frozenset()
    """Chunk ids that are not wanted again."""

    def __post_init__(self) -> None:
        """Take one name for a collection of one, paths for their text, and dates for ISO 8601."""
        for name, kept in COLLECTIONS.items():
            value = getattr(self, name) or ()
            several = isinstance(value, Iterable) and not isinstance(value, str)
            object.__setattr__(self, name, kept(map(str, value if several else [value])))
        for name in ("since", "until"):
            object.__setattr__(self, name, str(getattr(self, name) or ""))

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYTHING

    def admits(self, chunk: Chunk) -> bool:
        """Return whether a chunk is in the scope."""
        return (
            chunk.chunk_id not in self.exclude
            and (not self.kinds or chunk.kind in self.kinds)
            and self.admits_document(chunk.doc_id, chunk.source, chunk.date)
        )

    def admits_document(self, doc_id: str, source: str, date: str) -> bool:
        """Return whether any chunk of a document can be in the scope."""
        return (
            (not self.documents or any(_fits(name, doc_id, source) for name in self.documents))
            and (not self.doc_ids or doc_id in self.doc_ids)
            and (not self.folders or is_below(source, self.folders))
            and _is_between(date, self.since, self.until)
        )


COLLECTIONS: dict[str, Callable[[Iterable[str]], Collection[str]]] = {
    "documents": tuple,
    "doc_ids": frozenset,
    "folders": tuple,
    "kinds": tuple,
    "exclude": frozenset,
}
EVERYTHING = Scope()


def limits_text(scope: Scope) -> str:
    """Return what a scope is limited to, in words; empty where nothing is left out.

    >>> limits_text(Scope(documents=("a*", "b"), since="2024", exclude=frozenset(["x"])))
    'documents a*, b; since 2024; chunks left out 1'
    """
    named = {
        "documents": (*scope.documents, *sorted(scope.doc_ids)),
        "folders": scope.folders,
        "kinds": scope.kinds,
        "since": (scope.since,),
        "until": (scope.until,),
        "chunks left out": (f"{len(scope.exclude) or ''}",),
    }
    return "; ".join(f"{name} {', '.join(given)}" for name, given in named.items() if any(given))


def scope_of(given: Mapping[str, Any]) -> Scope:
    """Return the scope that plain values name, as a conversation keeps them."""
    return Scope(**given)


def check_scope(scope: Scope, listed: Callable[[], Sequence[DocumentOutline]]) -> None:
    """Raise ToolInputError where a name, a folder, a kind or the whole scope fits no document."""
    for kind in set(scope.kinds) - set(KINDS):
        hint = f"Kinds: {', '.join(KINDS)}."
        raise ToolInputError(f"there is no kind {kind[:80]!r} of chunks", hint=hint)
    if replace(scope, kinds=(), exclude=frozenset()).everything:
        return
    check_dates(scope.since, scope.until)
    documents = listed()
    for name in scope.documents:
        if not any(_fits(name, one.doc_id, one.source) for one in documents):
            hint = _nearest_documents(documents, _plain(name))
            raise ToolInputError(f"no document fits {name[:80]!r}", hint=hint)
    for folder in scope.folders:
        if not any(is_below(one.source, [folder]) for one in documents):
            known = sorted({one.source.rpartition("/")[0] for one in documents} - {""})
            near = get_close_matches(folder, known, n=NEAREST) or known[:NEAREST]
            hint = f"Folders with documents: {', '.join(near) or 'none'}."
            raise ToolInputError(f"no document is in the folder {folder[:200]}", hint=hint)
    if not any(scope.admits_document(one.doc_id, one.source, one.date) for one in documents):
        dates = sorted(one.date for one in documents if one.date)
        span = f"Documents are dated from {dates[0]} to {dates[-1]}. " if dates else ""
        undated = f"{len(documents) - len(dates)} of {len(documents)} documents have no date."
        hint = f"{span}{undated} Leave out a limit."
        raise ToolInputError("no document is within the scope", hint=hint)


def undated_warnings(
    scope: Scope, listed: Callable[[], Sequence[DocumentOutline]]
) -> tuple[str, ...]:
    """Return how many documents a period leaves out because they have no date; empty: none."""
    if not (scope.since or scope.until):
        return ()
    whole = replace(scope, since="", until="")
    within = [one for one in listed() if whole.admits_document(one.doc_id, one.source, one.date)]
    undated = sum(not one.date for one in within)
    told = f"{UNDATED}{undated} of {len(within)} documents have no date and are left out"
    return (told,) if undated else ()


def check_dates(since: str, until: str) -> None:
    """Raise ToolInputError for what is no date, and for a period that ends before it begins."""
    for text in filter(None, (since, until)):
        if not _is_date(text):
            raise ToolInputError(
                f"{text[:80]!r} is no date", hint="Dates are such as 2024, 2024-08 or 2024-08-13."
            )
    if since and until and not _is_between(since, since, until):
        raise ToolInputError(
            f"the scope ends ({until}) before it begins ({since})", hint="Change one of both dates."
        )


def filtered_documents(documents: Sequence[DocumentOutline], wanted: str) -> tuple[str, ...]:
    """Return the display names of the documents that the file filter `wanted` names.

    A filter with `*`, `?` or `[` is a glob for the name, the file's name or the path; another one,
    or one that matches nothing, is a part of them. Paths count from the folder that all documents
    share. Raises ToolInputError, with the nearest names, where no document fits.
    """
    pattern = _plain(wanted)
    if not pattern:
        return tuple(document.doc_id for document in documents)
    absolute = pattern.startswith("/") or pattern[1:3] == ":/"
    paths = [_plain(document.source) for document in documents]
    shared = 0 if absolute else commonprefix(paths).rfind("/") + 1
    named = [
        (one.doc_id, (_plain(one.doc_id), path[shared:], path.rpartition("/")[2]))
        for one, path in zip(documents, paths, strict=True)
    ]
    anywhere = pattern.removeprefix("**/")
    globs = (anywhere, f"*/{anywhere}") if WILD & set(pattern) else ()
    found = tuple(
        doc for doc, names in named if any(fnmatchcase(n, glob) for n in names for glob in globs)
    )
    found = found or tuple(doc for doc, names in named if any(pattern in name for name in names))
    if not found:
        shown = wanted if len(wanted) <= SHOWN else f"{wanted[:SHOWN]}\N{HORIZONTAL ELLIPSIS}"
        hint = _nearest_documents(documents, pattern)
        raise ToolInputError(f"file_filter {shown!r} matches no document", hint=hint)
    return found


def _plain(text: str) -> str:
    return normalize("NFC", text.strip().casefold()).replace("\\", "/")


def _nearest_documents(documents: Sequence[DocumentOutline], pattern: str) -> str:
    if not documents:
        return "The index holds no document: research-agent index PATH"
    by_plain = {_plain(one.doc_id): one.doc_id for one in documents}
    near = get_close_matches(pattern, by_plain, n=NEAREST, cutoff=LEAST_ALIKE)
    if near:
        return f"The nearest: {', '.join(repr(by_plain[name]) for name in near)}."
    listed = ", ".join(repr(one.doc_id) for one in documents[:NEAREST])
    return f"Leave it out, or name one such as {listed}."


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = (int(part or 1) for part in found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]  # noqa: PLR2004 (months)


@lru_cache(maxsize=4096)
def _fits(pattern: str, doc_id: str, source: str) -> bool:
    """Return whether a name or a glob names a document.

    A glob fits the display name, or the end of the path folder by folder.

    >>> [_fits(one, "a", "/docs/old/a.md") for one in ("A", "a.md", "old/*.md", "docs/*")]
    [True, True, True, False]
    """
    wanted, name, path = _plain(pattern), _plain(doc_id), _plain(source)
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
    if not (since or until):
        return True
    after = not since or date[: len(since)] >= since[: len(date)]
    before = not until or date[: len(until)] <= until[: len(date)]
    return bool(date) and after and before
