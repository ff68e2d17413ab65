"""What paths alone tell: display names of documents, and what lies below what."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from research_agent.text.addresses import is_web

ADDED = "added:/"
"""How the path of a text begins that no file holds; its quoted id and its source follow."""
_SEPARATOR = re.compile(r"[/\\]+")


def display_names(paths: Collection[str]) -> dict[str, str]:
    """Return the name of each file: without its ending, with its folder where two share it.

    As many folders as are needed tell two files apart; files that differ in nothing but their
    ending keep it. An added text without a source is named by its id, and texts of one source
    share a name.

    >>> list(display_names(["/d/FIPS.203.pdf", "/d/a/guide.md", "/d/b/guide.md"]).values())
    ['FIPS.203', 'a/guide', 'b/guide']
    """
    first = {_place(path): path for path in reversed([*paths])}
    parts = {path: _parts(path) for path in first.values()}
    same_stem = _groups(parts, len(max(parts.values(), key=len, default=())))
    for group in same_stem.values():
        if len(group) > 1:
            parts.update({path: (*parts[path][:-1], _split(_place(path))[-1]) for path in group})
    names: dict[str, str] = {}
    depth = 1
    while left := {path: part for path, part in parts.items() if path not in names}:
        for name, group in _groups(left, depth).items():
            if len(group) == 1 or all(depth > len(parts[path]) for path in group):
                names.update(dict.fromkeys(group, name))
        depth += 1
    return {path: names[first[_place(path)]] for path in paths}


def shown_path(path: str) -> str:
    """Return the path of a file as it is; of an added text where it comes from, "" if unknown."""
    if not path.startswith(ADDED):
        return path
    return path.removeprefix(ADDED).partition("/")[2]


def added_path(text_id: str, source: str) -> str:
    """Return the path of an added text, in whose id slashes are quoted."""
    quoted = text_id.replace("%", "%25").replace("/", "%2F")
    return f"{ADDED}{quoted}/{source}"


def added_id(path: str) -> str:
    """Return the id of an added text; "" for a file's path.

    >>> added_id(added_path("a/b%2F", "b.pdf")), added_id("/b.pdf")
    ('a/b%2F', '')
    """
    if not path.startswith(ADDED):
        return ""
    quoted = path.removeprefix(ADDED).partition("/")[0]
    return quoted.replace("%2F", "/").replace("%25", "%")


def is_below(path: str, roots: Iterable[str]) -> bool:
    """Return whether a file is one of `roots`, or in one of them; an address holds itself alone."""
    tops = [root if is_web(root) else root.rstrip("/\\") for root in roots]
    return any(
        path == top or (not is_web(top) and path.startswith((f"{top}/", f"{top}\\")))
        for top in tops
    )


def _place(path: str) -> str:
    return shown_path(path) or added_id(path)


def _parts(path: str) -> tuple[str, ...]:
    if (key := added_id(path)) and not shown_path(path):
        return (key,)
    *folders, name = _split(path)
    stem, dot, ending = name.rpartition(".")
    if is_web(path) and not folders[1:]:  # (the name of a machine)
        return (*folders, name)
    return (*folders, stem if dot and stem and ending else name)


def _split(path: str) -> list[str]:
    return _SEPARATOR.split(path.rstrip("/") if is_web(path) else path)


def _groups(parts: dict[str, tuple[str, ...]], depth: int) -> dict[str, list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path, part in parts.items():
        groups["/".join(part[-depth:])].append(path)
    return groups


_BUCKETS = ("s3://", "gs://", "az://")
LOCAL = "lance:"
"""What the location of a shared index in a folder begins with."""
INDEX_MARK = "research-agent-index.json"
"""The file by which a folder or a bucket is known as an index."""


def is_bucket(path: str) -> bool:
    """Return whether a path to index is an object of a bucket, or what such begin with."""
    return path.startswith(_BUCKETS)


def is_shared(location: str) -> bool:
    """Return whether `location` names a shared index, not a folder with a ledger."""
    return location.startswith((*_BUCKETS, LOCAL))
