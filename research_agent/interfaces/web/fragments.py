"""Pieces of the page as HTML: an answer, its details, a cited page. Words of others are escaped."""

from dataclasses import replace
from itertools import pairwise

from research_agent.answering.result_lines import renumbered
from research_agent.errors import SessionError
from research_agent.interfaces.chat.text import answer_text, cited, cost_text, understood, why_text
from research_agent.interfaces.report.content import AnswerPart, Report, answer_parts
from research_agent.interfaces.report.pages import Draw, cited_pages
from research_agent.interfaces.report.writing import environment
from research_agent.ports import ChunkStore
from research_agent.text.sentences import sentence_spans
from research_agent.types.conversation import Turn
from research_agent.types.result import Citation, ResearchResult

PACKAGE = "research_agent.interfaces.web"
AROUND = 2
"""Chunks that are shown on each side of a quoted one, where a document has no pages."""


Passage = tuple[str, str, str]
"""A piece of a document's text: the quote between what stands before and behind it."""


def turn_html(number: int, turn: Turn) -> str:
    """Return a question and its answer, with numbers for its keys."""
    own = tuple(replace(item, key=number) for number, item in cited(turn))
    turn = replace(turn, answer=answer_text(turn), citations=own)
    return _rendered(
        "turn.html.jinja",
        number=number,
        turn=turn,
        sentences=sentences(turn.answer, {item.key for item in turn.citations}),
        places={item.key: item.place for item in turn.citations},
        understood=understood(turn),
        cost=cost_text(turn),
    )


def sentences(answer: str, keys: set[str]) -> list[tuple[tuple[AnswerPart, ...], str]]:
    """Return the parts and the mark of each sentence of an answer.

    >>> [(mark, parts[0].text) for parts, mark in sentences("It is [c1]. So [unconfirmed].", set())]
    [('', 'It is [c1]. '), ('unconfirmed', 'So ')]
    """
    starts = [start for start, _ in sentence_spans(answer)]
    edges = [0, *starts[1:], len(answer)]
    found = []
    for start, end in pairwise(edges):
        parts = answer_parts(answer[start:end], keys)
        found.append((parts, next((part.mark for part in parts if part.mark), "")))
    return found


def details_html(turn: Turn, report: Report) -> str:
    """Return the path of an answer through the graph, what it cost, and how sure it is."""
    return _rendered("details.html.jinja", report=report, result=report.result, why=why_text(turn))


def cited_html(result: ResearchResult, key: str, chunks: ChunkStore, draw: Draw) -> str:
    """Return a cited page with its words marked, else the text; raises SessionError."""
    result = renumbered(result)
    found = [citation for citation in result.citations if citation.key == key]
    if not found:
        raise SessionError("the answer has no such source", hint="Load the page again.")
    pages = cited_pages(replace(result, citations=tuple(found)), chunks, draw)
    drawn = any(page.picture for page in pages)
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    passages = () if drawn else _passages(found[0], chunks, texts.get(key, ""))
    return _rendered("cited.html.jinja", citation=found[0], pages=pages, passages=passages)


def _passages(citation: Citation, chunks: ChunkStore, read: str) -> tuple[Passage, ...]:
    """Return the cited chunk between its neighbours; as the model read it where it is gone."""
    start, end = citation.quote_start, citation.quote_end
    if read[start:end] != citation.quote:
        read, start, end = citation.quote, 0, len(citation.quote)
    quoted = (read[:start], read[start:end], read[end:])
    if not chunks.chunks([citation.chunk_id]):
        return (quoted,)
    near = {chunk.order: chunk.text for chunk in chunks.around(citation.chunk_id, window=AROUND)}
    own = chunks.chunks([citation.chunk_id])[0].order
    before = [(text, "", "") for order, text in sorted(near.items()) if order < own]
    after = [(text, "", "") for order, text in sorted(near.items()) if order > own]
    return (*before, quoted, *after)


def _rendered(template: str, **values: object) -> str:
    return environment(PACKAGE).get_template(template).render(**values)
