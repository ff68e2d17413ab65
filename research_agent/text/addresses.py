"""Addresses in links: which of them lead to the user's own documents, and to which path."""

import re

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\")
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SEPARATOR = re.compile(r"[/\\]")
_TOP = frozenset({"", "#", "#top", "#/"})
PAGES = (".md", ".html", ".htm", ".markdown", ".txt", ".rst")
"""Endings that a link to a page may leave out, or have in the place of one another."""
FRONT_PAGES = ("index", "README", "readme")  # names of the page that a link to a folder shows


def is_web(path: str) -> bool:
    """Say whether a path to index is the address of a web page."""
    return path.lower().startswith(("http://", "https://"))


def without_anchor(path: str) -> str:
    """Return the address of a whole page; other paths stay as they are."""
    return path.partition("#")[0] if is_web(path) else path


def without_passwords(text: str) -> str:
    """Return a text whose addresses have no user and password.

    >>> without_passwords("https://me:secret@models.example/v1")
    'https://models.example/v1'
    """
    return re.sub(r"(?<=://)[^/@\s]+@", "", text)


def local_target(href: str) -> str:
    """Return a link's address as `Link.target` has it; "" for one that leads to no document.

    Addresses of other machines, of mail and the like, and of the top of the page lead to none.
    """
    address = href.strip()
    if address in _TOP or _SCHEME.match(address):
        return ""
    path, mark, anchor = address.partition("#")
    path = path.partition("?")[0]
    return path + mark + decoded(anchor) if path or anchor else ""


def split_target(target: str) -> tuple[str, str]:
    """Return the path of a link's target, decoded, and its anchor with the mark in front."""
    path, mark, anchor = target.partition("#")
    return decoded(path), mark + anchor if anchor else ""


def decoded(text: str) -> str:
    """Return a text without percent signs that stand for other characters."""
    return _ENCODED.sub(
        lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"), text
    )


def candidates(path: str, *, beside: str) -> tuple[str, ...]:
    """Return the paths of files that a link to `path` in the document `beside` may mean.

    The best first: the path itself, pages with another ending or none, a folder's front page.
    """
    whole = path if path.startswith("/") else _joined(path, beside)
    mark = "\\" if "\\" in beside and "/" not in beside else "/"
    stem, dot, ending = whole.rpartition(".")
    is_page = bool(dot) and f".{ending.lower()}" in PAGES
    pages = [(stem if is_page else whole) + page for page in PAGES]
    front = [f"{whole}{mark}{name}{page}" for name in FRONT_PAGES for page in PAGES[:2]]
    return tuple(dict.fromkeys([whole, *pages, *([] if is_page else front)]))


def _joined(path: str, beside: str) -> str:
    mark = "\\" if "\\" in beside and "/" not in beside else "/"
    parts = beside.split(mark)[:-1]
    for part in _SEPARATOR.split(path):
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in {"", ".", ".."}:
            parts.append(part)
    return mark.join(parts)
