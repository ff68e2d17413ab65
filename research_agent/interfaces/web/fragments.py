"""Pieces of the page as HTML: an answer, its details, a cited page. Words of others are escaped."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from research_agent.answering.result_lines import renumbered
from research_agent.errors import SessionError
from research_agent.interfaces.chat.text import (
    answer_text,
    cited,
    cost_text,
    lacking,
    understood,
    why_text,
)
from research_agent.interfaces.report.content import (
    AnswerPart,
    Report,
    answer_parts,
    every_quote,
    in_context,
)
from research_agent.interfaces.report.pages import Draw, cited_pages
from research_agent.interfaces.report.writing import environment
from research_agent.ports import ChunkStore
from research_agent.text.sentences import sentence_spans
from research_agent.types.conversation import Turn
from research_agent.types.result import Citation, ResearchResult

PACKAGE = "research_agent.interfaces.web"
AROUND = 2
"""Chunks that are shown on each side of a quoted one, where a document has no pages."""


Passage = tuple[tuple[str, bool], ...]
"""A part of a document's text in pieces; with each, whether it is quoted."""


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
        lacking=lacking(turn),
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
    """Return the cited pages with all its words marked, else the text; raises SessionError."""
    found = [quote for quote in every_quote(result, chunks) if quote.key == key]
    if not found:
        raise SessionError("the answer has no such source", hint="Load the page again.")
    pages = cited_pages(replace(result, citations=tuple(found)), chunks, draw)
    drawn = any(page.picture for page in pages)
    texts = {item.key: item.hit.chunk.text for item in renumbered(result).evidence}
    passages = () if drawn else _passages(found, chunks, texts.get(key, ""))
    return _rendered("cited.html.jinja", citations=found, pages=pages, passages=passages)


def _passages(found: Sequence[Citation], chunks: ChunkStore, read: str) -> tuple[Passage, ...]:
    """Return the cited chunk between its neighbours; as the model read it where it is gone."""
    quotes = [(one.quote_start, one.quote_end, one.quote) for one in found]
    quoted = in_context(read, quotes, around=len(read))
    chunk_id = found[0].chunk_id
    if not chunks.chunks([chunk_id]):
        return (quoted,)
    near = {chunk.order: chunk.text for chunk in chunks.around(chunk_id, window=AROUND)}
    own = chunks.chunks([chunk_id])[0].order
    before = [((text, False),) for order, text in sorted(near.items()) if order < own]
    after = [((text, False),) for order, text in sorted(near.items()) if order > own]
    return (*before, quoted, *after)


def _rendered(template: str, **values: object) -> str:
    return environment(PACKAGE).get_template(template).render(**values)
