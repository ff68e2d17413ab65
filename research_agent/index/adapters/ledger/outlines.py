"""What the documents of a published generation hold, in outline."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from research_agent.text.boilerplate_sections import APPARATUS
from research_agent.types.records import DocumentOutline

DOCUMENTS = """SELECT id, doc_id, path, title, date, pages FROM documents
    WHERE generation IS NOT NULL AND status = 'indexed' ORDER BY path"""
SECTIONS = """SELECT c.document, c.kind, c.section, count(*) FROM chunks c
    JOIN documents d ON d.id = c.document AND d.generation IS NOT NULL
    GROUP BY c.document, c.kind, c.section ORDER BY c.document, min(c.position)"""


def outlines(
    documents: Iterable[Sequence[Any]], sections: Iterable[Sequence[Any]]
) -> tuple[DocumentOutline, ...]:
    """Return an outline for each row of DOCUMENTS, from the rows of SECTIONS.

    Chunks that only point elsewhere are not counted: nobody finds them. Raises ValueError for
    what is no row of ours.
    """
    kinds: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    headings: defaultdict[int, list[tuple[str, ...]]] = defaultdict(list)
    for document, kind, section, count in sections:
        if kind not in APPARATUS:
            kinds[document][kind] += count
            headings[document].append(tuple(json.loads(section)))
    return tuple(
        DocumentOutline(
            doc_id=doc_id,
            source=path,
            title=title,
            date=date,
            pages=pages,
            kinds=dict(kinds[number]),
            sections=top_sections(headings[number]),
        )
        for number, doc_id, path, title, date, pages in documents
    )


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
