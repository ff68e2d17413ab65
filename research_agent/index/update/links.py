"""What chunks say about one another: found when a document is cut, told when it is published."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from research_agent.documents.definitions import defined_terms
from research_agent.documents.numbered_references import with_numbers
from research_agent.types import Chunk
from research_agent.types.documents import FileReport
from research_agent.types.question_words import QuestionWords
from research_agent.types.records import DocumentRecord
from research_agent.types.references import ChunkLinks, unresolved_words

Linked = tuple[Chunk, ChunkLinks]


def linked(chunks: Sequence[Linked], words: Sequence[QuestionWords]) -> tuple[Linked, ...]:
    """Return the chunks of one document with what they name by number, and define.

    >>> from research_agent.types.question_words import ENGLISH
    >>> pier = Chunk("a", "d", "tide gauge | A pole.", section=("Glossary",))
    >>> linked([(pier, ChunkLinks())], [ENGLISH])[0][1].terms
    ('tide gauge',)
    """
    return tuple(
        (chunk, replace(links, terms=defined_terms(chunk, words)))
        for chunk, links in with_numbers(chunks, words)
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
