"""What each search found, before and after filtering."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from research_agent.answering.draft_redaction import without_draft
from research_agent.interfaces.report.recording import RunRecord
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import place
from research_agent.types.filtering import ChunkDecision, FilterStats
from research_agent.types.result import ResearchResult

MOST_ROWS = 60
MOST_SEARCHES = 8


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk in a ranking."""

    place: str
    before: int | None
    """Its rank before filtering; None for what was added by reference."""
    after: int | None
    """Its rank after filtering; None where it was left out."""
    similarity: float | None
    lexical: float | None
    verdict: str
    key: str
    """Its citation key, where the model has read it."""
    cited: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """One search."""

    query: str
    stats: FilterStats
    rows: tuple[RankedChunk, ...]
    left_out: int
    """Rows that are not shown."""


Look = Callable[[Sequence[str]], Sequence[Chunk]]
"""Chunks by their ids, such as `ChunkStore.chunks`."""


def rankings(result: ResearchResult, record: RunRecord, look: Look) -> tuple[Ranking, ...]:
    """Return the searches of a run, or what the result alone tells of them."""
    keys = {item.hit.chunk.chunk_id: item.key for item in result.evidence}
    cited = {citation.key for citation in result.citations}
    searched = [found for found in record.searches if found.searched and found.call.query]
    if searched:
        lists = [
            (without_draft(found.call.query, record.unsaid), found.stats, found.hits)
            for found in searched[:MOST_SEARCHES]
        ]
    else:
        hits = tuple(item.hit for item in result.evidence)
        lists = [("; ".join(result.queries), result.filter_stats, hits)] if hits else []
    known = {hit.chunk.chunk_id: hit for probe in record.probes for hit in probe.hits}
    for _, _, hits in lists:
        known |= {hit.chunk.chunk_id: hit for hit in hits}
    wanted = {d.chunk_id for _, stats, _ in lists for d in stats.decisions} - known.keys()
    known |= {chunk.chunk_id: Hit(chunk) for chunk in look(sorted(wanted))}
    return tuple(_ranking(query, stats, hits, known, keys, cited) for query, stats, hits in lists)


def _ranking(
    query: str,
    stats: FilterStats,
    hits: Sequence[Hit],
    known: Mapping[str, Hit],
    keys: Mapping[str, str],
    cited: set[str],
) -> Ranking:
    after = {hit.chunk.chunk_id: rank for rank, hit in enumerate(hits, start=1)}
    decisions = {decision.chunk_id: decision for decision in reversed(stats.decisions)}
    before = list(dict.fromkeys(d.chunk_id for d in stats.decisions)) or list(after)
    ids = [*before, *(chunk_id for chunk_id in after if chunk_id not in set(before))]
    ranks = {chunk_id: rank for rank, chunk_id in enumerate(before, start=1)}
    rows = []
    for chunk_id in ids[:MOST_ROWS]:
        hit, key = known.get(chunk_id), keys.get(chunk_id, "")
        rows.append(
            RankedChunk(
                place=place(hit.chunk) if hit else f"chunk {chunk_id}",
                before=ranks.get(chunk_id),
                after=after.get(chunk_id),
                similarity=hit.similarity if hit else None,
                lexical=hit.lexical if hit else None,
                verdict=_verdict(decisions.get(chunk_id), listed=chunk_id in ranks),
                key=key,
                cited=key in cited,
            )
        )
    return Ranking(query, stats, tuple(rows), len(ids) - len(rows))


def _verdict(decision: ChunkDecision | None, *, listed: bool) -> str:
    """Return what was decided on a chunk and why, in words.

    >>> _verdict(ChunkDecision("x", "expand_3", "model", 0.75), listed=True)
    'expand 3 (model, 0.75)'
    >>> _verdict(ChunkDecision("x", "discard", "model", reason="other_name"), listed=True)
    'discard (model): other_name'
    """
    if decision is None:
        return "" if listed else "by reference"
    sure = "" if decision.relevance is None else f", {decision.relevance:.2f}"
    told = f"{decision.verdict} ({decision.why}{sure})".replace("_", " ")
    return f"{told}: {decision.reason}" if decision.reason else told
