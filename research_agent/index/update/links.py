"""What chunks say about one another: found when a document is cut, told when it is published."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from research_agent.index.numbered_references import with_numbers
from research_agent.types import Chunk
from research_agent.types.documents import FileReport
from research_agent.types.question_words import GLOSSARIES, phrases
from research_agent.types.records import DocumentRecord
from research_agent.types.references import LinkedChunk, unresolved_words

_ENTRY = re.compile(
    r"^[ \t*_|-]*([^\W\d_][^|:\u2013\u2014\n]{1,60}?)[*_]*(?:\s*[|:]\s|\s+[\u2013\u2014-]\s)",
    re.MULTILINE,
)
"""A line that begins with a term, and what is said of it behind a mark."""


def linked(chunks: Sequence[LinkedChunk]) -> tuple[LinkedChunk, ...]:
    """Return the chunks of one document with what they name by number, and define.

    >>> from research_agent.types.references import ChunkLinks
    >>> pier = Chunk("a", "d", "tide gauge | A pole.", section=("Glossary",))
    >>> linked([(pier, ChunkLinks())])[0][1].terms
    ('tide gauge',)
    """
    return tuple(
        (chunk, replace(links, terms=_defined_terms(chunk)))
        for chunk, links in with_numbers(chunks)
    )


def with_unresolved(
    reports: Iterable[FileReport], kept: Iterable[DocumentRecord]
) -> Iterator[FileReport]:
    """Yield the reports, those of files just read with references that lead nowhere saying so.

    >>> from research_agent.types.references import Unresolved
    >>> record = DocumentRecord(key="k", path="/a.md", digest="", size=1, mtime_ns=1, recipe="",
    ...     unresolved=Unresolved(dangling=1, dangling_names=("#x",)))
    >>> [r.reason for r in with_unresolved([FileReport("/a.md", "indexed")], [record])]
    ['1 reference leads nowhere: #x']
    """
    known = {record.path: unresolved_words(record.unresolved) for record in kept}
    for report in reports:
        told = known.get(report.path, ()) if report.status == "indexed" else ()
        yield replace(report, reason="; ".join(filter(None, (report.reason, *told))))


def _defined_terms(chunk: Chunk) -> tuple[str, ...]:
    """Return the terms that a chunk of a glossary defines line by line; none for other chunks."""
    if not phrases(GLOSSARIES).search(" ".join(chunk.section)):
        return ()
    return tuple(dict.fromkeys(match[1].strip() for match in _ENTRY.finditer(chunk.text)))
