"""Who wrote a document, as its file's own properties say it."""

import re

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+")


def doi_in(text: str) -> str:
    """Return the first DOI in a text; "" where there is none."""
    found = _DOI.search(text)
    return found[0].rstrip(".,;:)]'") if found else ""


def authors_in(text: str) -> tuple[str, ...]:
    """Return the names in a property; only semicolons part them, since names may have commas."""
    return tuple(filter(None, (" ".join(name.split()) for name in text.split(";"))))
