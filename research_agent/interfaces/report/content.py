"""A result and what was seen of its run -> everything that a report shows."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby

from research_agent.answering.draft_redaction import public_result, without_draft
from research_agent.answering.report import with_spans
from research_agent.answering.result_lines import NUMBER, references, renumbered
from research_agent.errors import IndexingError
from research_agent.interfaces.report.pages import Draw, ShownPage, cited_pages
from research_agent.interfaces.report.recording import EarlierTurn, RunRecord
from research_agent.ports import ChunkStore
from research_agent.text.sentences import sentence_spans
from research_agent.types import TraceEvent
from research_agent.types.claims import MARKER, bare, plain, said_tokens
from research_agent.types.entropy import token_entropy
from research_agent.types.evidence import place
from research_agent.types.filtering import ChunkDecision, FilterStats
from research_agent.types.result import Citation, ResearchResult
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.verification import Answer, Draft

_MARK = re.compile(rf"{NUMBER}|\[(unconfirmed|contradicted)\]")
AROUND = 700
"""Characters shown on each side of a quote."""
MOST_SEARCHES, MOST_ROWS = 8, 60


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A piece of the answer: its words, the key of a citation, or a sentence's mark."""

    text: str = ""
    key: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A citation, with the text around its quote and the pages it is on."""

    citation: Citation
    context: tuple[tuple[str, bool], ...]
    """Pieces of the chunk's text around the quotes; with each, whether it is quoted."""
    pages: tuple[int, ...]
    """Numbers of the report's pages, from 1."""


@dataclass(frozen=True, slots=True)
class Round:
    """The nodes of one round, in order; those that ran several times with their number."""

    number: int
    nodes: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Search:
    """One search: what the filter decided of each hit, and where the hits stand."""

    query: str
    stats: FilterStats
    decisions: tuple[ChunkDecision, ...]
    places: Mapping[str, str]
    """By the chunk's id; with its key where the model has read it."""


LEVELS = (0.05, 0.3, 0.8, 1.5)
"""Nats from which a token has the next shade."""
MOST_TOKENS = 4000
"""Tokens of the heat map."""


@dataclass(frozen=True, slots=True)
class HeatToken:
    """A token of the answer; `entropy` (nats) is None where it is not scored."""

    text: str
    entropy: float | None = None
    level: int = 0
    """Shade, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a report shows beside its result."""

    result: ResearchResult
    answer: tuple[AnswerPart, ...]
    sources: tuple[Source, ...]
    pages: tuple[ShownPage, ...]
    heat: tuple[HeatToken, ...]
    confidence: tuple[tuple[str, float, str], ...]
    """The numbers that confidence is made of: name, value, meaning."""
    rounds: tuple[Round, ...]
    searches: tuple[Search, ...]
    earlier: tuple[EarlierTurn, ...]


def heat(answer: Answer, draft: Draft) -> tuple[HeatToken, ...]:
    """Return the tokens of those sentences of `answer` that `draft` has, without markers."""
    text = "".join(token.text for token in answer.tokens)
    if text != answer.text:
        return ()
    claims = {plain(claim.text) for claim in draft.claims}
    spans = [span for span in sentence_spans(text) if plain(bare(text[slice(*span)])) in claims]
    said = {at for at, _ in said_tokens(answer.tokens)}
    markers = [match.span() for match in MARKER.finditer(text)]
    found, at = list[HeatToken](), 0
    for token in answer.tokens:
        behind = at + len(token.text)
        marker = any(at < end and behind > start for start, end in markers)
        if not marker and any(at < end and behind > start for start, end in spans):
            entropy = token_entropy(token.alternatives) if at in said else None
            level = sum((entropy or 0.0) >= limit for limit in LEVELS)
            found.append(HeatToken(token.text, entropy, level))
        at = behind
    return tuple(found[:MOST_TOKENS])


def report_of(result: ResearchResult, record: RunRecord, chunks: ChunkStore, draw: Draw) -> Report:
    """Return what a report shows; `chunks` and `draw` may fail. Refused drafts are left out."""
    shown = public_result(result)
    quotes = every_quote(shown, chunks)
    result = renumbered(shown)
    pages = cited_pages(replace(result, citations=quotes), chunks, draw)
    tokens = () if result.status == "refused" else heat(record.answer, record.draft)
    texts = {item.key: item.hit.chunk.text for item in result.evidence if item.key}
    sources = []
    for one in result.citations:
        own = [(q.quote_start, q.quote_end, q.quote) for q in quotes if q.key == one.key]
        numbers = tuple(at for at, page in enumerate(pages, start=1) if one.key in page.keys)
        sources.append(Source(one, in_context(texts.get(one.key, ""), own), numbers))
    return Report(
        result=result,
        answer=answer_parts(result.answer, {citation.key for citation in result.citations}),
        sources=tuple(sources),
        pages=pages,
        heat=tokens,
        confidence=_confidence(result.confidence),
        rounds=_rounds(record.visits),
        searches=_searches(result, record, chunks),
        earlier=record.earlier,
    )


def answer_parts(answer: str, keys: set[str]) -> tuple[AnswerPart, ...]:
    """Return an answer in pieces; only keys that are cited are keys.

    >>> [part.key or part.text for part in answer_parts("So a[1] [1][9].", {"1"})]
    ['So a[1] ', '1', '[9].']
    """
    parts, at = list[AnswerPart](), 0
    for match in _MARK.finditer(answer):
        if match[1] in keys or match[2]:
            mark = AnswerPart(key=match[1] or "", mark=match[2] or "")
            parts += [AnswerPart(answer[at : match.start()]), mark]
            at = match.end()
    return tuple(part for part in [*parts, AnswerPart(answer[at:])] if part != AnswerPart())


def every_quote(result: ResearchResult, chunks: ChunkStore) -> tuple[Citation, ...]:
    """Return a citation for each sentence's quote, with the number of its source for its key."""
    cited = {item.key: item.hit.chunk for item in result.evidence}
    found = []
    for one in references(result):
        for quote in one.quotes:
            made = one.citation
            if quote.start != made.quote_start and made.key in cited:
                words, start, end = quote.quote, quote.start, quote.end
                made = replace(made, quote=words, quote_start=start, quote_end=end, page_spans=())
                with suppress(IndexingError):  # (then its place on the page is not known)
                    made = with_spans(made, cited[made.key], chunks)
            found.append(replace(made, key=one.number))
    return tuple(found)


def in_context(
    text: str, quotes: Sequence[tuple[int, int, str]], around: int = AROUND
) -> tuple[tuple[str, bool], ...]:
    """Return a text from `around` characters before its quotes to as many behind them, in pieces.

    Each is given with whether it is quoted; without the text there are the quotes alone.
    """
    if any(text[start:end] != words for start, end, words in quotes):
        return tuple((words, True) for _, _, words in quotes)
    ordered = sorted(quotes)
    at = max(ordered[0][0] - around, 0)
    behind = max(end for _, end, _ in ordered) + around
    pieces = [("\u2026", False)] if at else []
    for start, end, _ in ordered:
        pieces += [(text[at:start], False), (text[max(at, start) : end], True)]
        at = max(at, end)
    pieces += [(text[at:behind], False), ("\u2026" if len(text) > behind else "", False)]
    return tuple(piece for piece in pieces if piece[0])


def _confidence(found: RetrievalConfidence) -> tuple[tuple[str, float, str], ...]:
    return (
        ("Best similarity", found.top_similarity, "cosine of the best hit to the query"),
        ("Background", found.background, "mean cosine of the hits behind the best ones"),
        ("Concentration", found.concentration, "how far the best hit stands above the background"),
        ("Length", found.length_weight, f"a query of {found.words} words"),
        ("Confidence", found.value, "best similarity \u00d7 concentration \u00d7 length"),
    )


def _rounds(visits: Sequence[tuple[int, TraceEvent]]) -> tuple[Round, ...]:
    ordered = sorted(visits, key=lambda visit: visit[1].started)
    found = []
    for number in dict.fromkeys(round_ for round_, _ in ordered):
        own = [event for round_, event in ordered if round_ == number]
        runs = [(node, len(list(some))) for node, some in groupby(own, lambda event: event.node)]
        names = tuple(f"{node} \u00d7 {times}" if times > 1 else node for node, times in runs)
        found.append(Round(number, names, sum(event.seconds for event in own)))
    return tuple(found)


def _searches(result: ResearchResult, record: RunRecord, chunks: ChunkStore) -> tuple[Search, ...]:
    searched = [found for found in record.searches if found.searched and found.call.query]
    shown = [(without_draft(f.call.query, record.unsaid), f.stats) for f in searched]
    if not shown and result.evidence:
        shown = [("; ".join(result.queries), result.filter_stats)]
    known = {hit.chunk.chunk_id: hit.chunk for probe in record.probes for hit in probe.hits}
    known |= {item.hit.chunk.chunk_id: item.hit.chunk for item in result.evidence}
    wanted = {decision.chunk_id for _, stats in shown for decision in stats.decisions}
    with suppress(IndexingError):  # (then they have no names)
        known |= {one.chunk_id: one for one in chunks.chunks(sorted(wanted - known.keys()))}
    keys = {item.hit.chunk.chunk_id: f" [{item.key}]" for item in result.evidence if item.key}
    places = {one: place(known[one]) if one in known else f"chunk {one}" for one in wanted}
    places = {one: where + keys.get(one, "") for one, where in places.items()}
    return tuple(
        Search(query, stats, tuple(stats.decisions[:MOST_ROWS]), places)
        for query, stats in shown[:MOST_SEARCHES]
    )
