"""Who wrote a document, as its file's own properties say it."""

import re

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+")


def doi_in(text: str) -> str:
    """Return the first DOI in a text; "" where there is none.

    >>> doi_in("Kitchen Science 12 (2020). doi:10.1016/j.bread.2020.01.002."), doi_in("10 of 12")
    ('10.1016/j.bread.2020.01.002', '')
    """
    found = _DOI.search(text)
    return found[0].rstrip(".,;:)]'") if found else ""


def authors_in(text: str) -> tuple[str, ...]:
    """Return the names in a property; only semicolons part them, since names may have commas.

    >>> authors_in("Baker, Ann; Bob Miller"), authors_in("Ann Baker, Bob Miller")
    (('Baker, Ann', 'Bob Miller'), ('Ann Baker, Bob Miller',))
    """
    return tuple(filter(None, (" ".join(name.split()) for name in text.split(";"))))
