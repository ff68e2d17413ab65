"""What a conversation keeps of an answer, and whether what it cites is still in the documents."""

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Literal

from research_agent.types import Chunk
from research_agent.types.conversation import MORE, MOST_KNOWN, Cited, FollowUp, Ledger, Turn
from research_agent.types.records import text_digest
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope, limits_text
from research_agent.types.uncertainty import in_words

DIGEST_CHARS = 16
CitationStatus = Literal["same", "changed", "vanished"]
OUTDATED = {
    "changed": "the document has changed since this was answered.",
    "vanished": "the document is no longer in the index.",
}


def chunk_digest(chunk: Chunk) -> str:
    """Return by what a chunk is known to be the same as before."""
    return text_digest(chunk.text)[:DIGEST_CHARS]


def turn_of(
    asked: FollowUp,
    result: ResearchResult,
    *,
    scope: Scope = EVERYTHING,
    quotes: Mapping[str, tuple[str, ...]],
) -> Turn:
    """Return what is kept of a result, which holds nothing of a draft that was refused.

    `quotes` are the words of each citation, by its key.
    """
    digests = {item.hit.chunk.chunk_id: chunk_digest(item.hit.chunk) for item in result.evidence}
    usage = result.usage.and_calls(asked.calls)
    return Turn(
        text=asked.text,
        question=result.question,
        how=asked.how,
        reason=MORE if asked.more else asked.reason,
        status=result.status,
        answer=result.answer,
        refusal_reason=result.refusal_reason,
        stop_reason=result.stop_reason,
        citations=tuple(
            Cited(
                key=item.key,
                place=item.place,
                doc_id=item.doc_id,
                title=item.title,
                source=item.source,
                page=item.start_page,
                spans=item.page_spans,
                quote=item.quote,
                quotes=quotes.get(item.key, ()),
                chunk_id=item.chunk_id,
                digest=digests.get(item.chunk_id, ""),
            )
            for item in result.citations
        ),
        unanswered=result.unanswered,
        scope=limits_text(scope),
        queries=result.queries,
        filter_mode=result.filter_stats.mode,
        original=result.filter_stats.original,
        kept=result.filter_stats.kept,
        rounds=result.rounds,
        confidence=result.confidence.value,
        confidence_reason=result.confidence.reason,
        mean_entropy=result.uncertainty.mean_entropy,
        uncertainty=in_words(result.uncertainty),
        unsure=result.unsure,
        entropies=tuple(one.mean_entropy for one in result.trend),
        answerable=result.answerable,
        warnings=(*asked.warnings, *result.warnings),
        llm_calls=usage.llm_calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        seconds=usage.elapsed_seconds,
    )


def entered(ledger: Ledger, asked: FollowUp, result: ResearchResult) -> Ledger:
    """Return the ledger with what the answer to one more question has read, cited and left out."""
    read = {i.hit.chunk.chunk_id: chunk_digest(i.hit.chunk) for i in result.evidence}
    cited = {i.chunk_id: read[i.chunk_id] for i in result.citations if i.chunk_id in read}
    discarded = [
        one.chunk_id
        for one in result.filter_stats.decisions
        if one.verdict == "discard" and one.chunk_id not in read
    ]
    before = ledger.discarded if asked.more else ()
    return Ledger(
        {**ledger.seen, **read},
        {**ledger.cited, **cited},
        tuple(dict.fromkeys([*before, *discarded])),
    )


def known_chunks(asked: FollowUp, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the chunks a follow-up starts from: the first that the last two answers cited."""
    if asked.how == "new":
        return ()
    cited = [[item.chunk_id for item in turn.citations] for turn in turns if turn.citations]
    ranked = zip_longest(*reversed(cited[-2:]))
    ids = dict.fromkeys(one for rank in ranked for one in rank if one)
    return tuple(ids)[:MOST_KNOWN]


def citation_status(
    citations: Sequence[Cited], chunks: Sequence[Chunk], documents: Collection[str]
) -> tuple[CitationStatus, ...]:
    """Return for each citation whether its chunk is the same, or its document changed or went.

    `chunks` and `documents` (display names) are what the index has now.
    """
    now = {chunk.chunk_id: chunk_digest(chunk) for chunk in chunks}
    return tuple(
        "same"
        if now.get(item.chunk_id) == item.digest
        else "changed"
        if item.doc_id in documents or item.chunk_id in now
        else "vanished"
        for item in citations
    )


def outdated(citations: Sequence[Cited], found: Sequence[CitationStatus]) -> tuple[str, ...]:
    """Return a sentence for each citation that is no longer in the documents as it was."""
    return tuple(
        f"[{item.key}] {item.place}: {OUTDATED[how]}"
        for item, how in zip(citations, found, strict=True)
        if how != "same"
    )
