"""How a document is outlined: its headings, and who wrote it."""

from collections.abc import Sequence
from typing import TypedDict

from research_agent.text.credits import authors_in
from research_agent.types.documents import ParseQuality


def top_sections(sections: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the headings of the uppermost level that has several of them, each once.

    `sections` are the headings above each chunk, in reading order. A single heading above
    everything is the title, and says nothing about the parts.

    >>> top_sections([("Guide", "Install"), ("Guide", "Use", "Ask"), ("Guide", "Use")])
    ('Install', 'Use')
    """
    found: tuple[str, ...] = ()
    for level in range(max(map(len, sections), default=0)):
        at_level = (section[level] for section in sections if len(section) > level)
        found = tuple(dict.fromkeys(at_level)) or found
        if len(found) > 1:
            break
    return found


class Credits(TypedDict):
    """What an outline has of a file's properties."""

    authors: tuple[str, ...]
    doi: str


def credits_of(quality: ParseQuality | None) -> Credits:
    """Return who wrote a document, and its DOI; nothing where that was not kept."""
    known = quality or ParseQuality()
    return {"authors": authors_in(known.authors), "doi": known.doi}
