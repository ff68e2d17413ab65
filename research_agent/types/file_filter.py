"""Which documents a file filter names.

A filter without `*`, `?` and `[` is a part of a document's name or path; one with them is a glob
for the whole name, the file's name or the path. Case, Unicode form and the kind of slash do not
count. A path counts from the folder that all documents share; a filter that is an absolute path
is compared with whole paths. A glob that matches nothing is tried as plain text: a name may hold
brackets.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from unicodedata import normalize

from research_agent.errors import ToolInputError
from research_agent.types.records import DocumentOutline

NEAREST = 3
LEAST_ALIKE = 0.4
"""How alike a name has to be to be suggested, from 0 to 1."""
WILD = frozenset("*?[")


def filtered_documents(documents: Sequence[DocumentOutline], wanted: str) -> tuple[str, ...]:
    r"""Return the display names of the documents that the filter `wanted` names.

    Raises ToolInputError where there is none; its hint names the nearest ones.

    >>> guides = [DocumentOutline(name, f"/docs/{name}.pdf") for name in ("FIPS.203", "a/FIPS.204")]
    >>> filtered_documents(guides, "fips.203"), filtered_documents(guides, "*.PDF")
    (('FIPS.203',), ('FIPS.203', 'a/FIPS.204'))
    >>> filtered_documents(guides, r"A\FIPS*")
    ('a/FIPS.204',)
    """
    pattern = plain(wanted)
    if not pattern:
        return tuple(document.doc_id for document in documents)
    shared = _shared_folder([plain(document.source) for document in documents])
    named = [(document.doc_id, _names(document, shared, pattern)) for document in documents]
    if WILD & set(pattern):
        globbed = tuple(doc for doc, names in named if any(_glob(name, pattern) for name in names))
        if globbed:
            return globbed
    found = tuple(doc for doc, names in named if any(pattern in name for name in names))
    if not found:
        raise ToolInputError(
            f"file_filter {_cut(wanted)!r} matches no document",
            hint=nearest_documents([document.doc_id for document in documents], pattern),
        )
    return found


def plain(text: str) -> str:
    r"""Return a name as it is compared.

    >>> plain(" Docs\\CAF\u0045\u0301.md ")
    'docs/café.md'
    """
    return normalize("NFC", text.strip().casefold()).replace("\\", "/")


def _names(document: DocumentOutline, shared: str, pattern: str) -> tuple[str, ...]:
    """Return what a document is known by."""
    path = plain(document.source)
    absolute = pattern.startswith("/") or pattern[1:3] == ":/"
    below = path if absolute else path[len(shared) :]
    return (plain(document.doc_id), below, path.rpartition("/")[2])


def _glob(name: str, pattern: str) -> bool:
    """Return whether a glob fits a name, or the end of a path that begins with a folder.

    >>> _glob("a/x.md", "**/*.md"), _glob("x.md", "**/*.md")
    (True, True)
    """
    anywhere = pattern.removeprefix("**/")
    return fnmatchcase(name, anywhere) or fnmatchcase(name, f"*/{anywhere}")


def _shared_folder(paths: Sequence[str]) -> str:
    """Return the folder above all paths, with its slash.

    >>> _shared_folder(["/docs/a/x.md", "/docs/b.md"]), _shared_folder(["/d/x.md"])
    ('/docs/', '/d/')
    """
    if not paths:
        return ""
    first, last = min(paths), max(paths)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[: first[:same].rfind("/") + 1]


def nearest_documents(names: Sequence[str], pattern: str) -> str:
    """Return a hint with the names that a pattern is most like, else with the first ones."""
    if not names:
        return "The index holds no document: research-agent index PATH"
    by_plain = {plain(name): name for name in names}
    near = get_close_matches(pattern, by_plain, n=NEAREST, cutoff=LEAST_ALIKE)
    if near:
        return f"The nearest: {', '.join(repr(by_plain[name]) for name in near)}."
    listed = ", ".join(repr(name) for name in names[:NEAREST])
    return f"Leave it out, or name one such as {listed}."


def _cut(text: str, length: int = 80) -> str:
    return text if len(text) <= length else text[:length] + "\N{HORIZONTAL ELLIPSIS}"
