"""Which hits of a search are kept, and a record of what was not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.core.types import Hit

Mode = Literal["off", "score", "pointwise", "llm"]
Verdict = Literal["keep", "expand_1", "expand_3", "expand_5", "discard", "undecided"]
"""What is to become of a chunk; `expand_n`: keep it, and what it refers to in `n` steps."""
Why = Literal[
    "model",
    "reused",
    "rank",
    "similarity",
    "not_asked",
    "no_room",
    "not_mentioned",
    "failed",
    "overruled",
]
"""Where a verdict comes from: this call of the model, an earlier one, the ranking alone, or the
least similarity; and why there is none: the chunk was not among those judged, had no place in the
prompt, is not in the reply, the call failed; or the model discarded all and was overruled."""
DEPTHS: Mapping[Verdict, int] = {"expand_1": 1, "expand_3": 3, "expand_5": 5}
"""Steps along references that a verdict asks for."""


@dataclass(frozen=True, slots=True)
class ChunkDecision:
    """What the filter made of one hit."""

    chunk_id: str
    verdict: Verdict = "undecided"
    why: Why = "rank"
    relevance: float | None = None
    """How sure the model is that the chunk helps; None where it was not asked that way."""
    kept: bool = False
    """The hit is in the result."""


@dataclass(frozen=True, slots=True)
class FilterStats:
    """What a filter did."""

    mode: Mode = "off"
    original: int = 0
    """Hits that the filter looked at."""
    kept: int = 0
    """Those of them that are in the result."""
    expanded: int = 0
    """Further chunks in the result, which kept ones refer to."""
    discarded: int = 0
    """Hits with a verdict against them, or not similar enough."""
    undecided: int = 0
    """Hits that the model gave no verdict on; they are kept while there is room."""
    unknown_ids: int = 0
    """Verdicts on chunks that the model was not shown."""
    repeated_ids: int = 0
    """Verdicts on a chunk that had one already; the first counts."""
    reused: int = 0
    """Verdicts of earlier calls."""
    reduction_ratio: float = 0.0
    """Share of the hits looked at that is not in the result."""
    tokens_before: int = 0
    """Tokens of all hits looked at."""
    tokens_after: int = 0
    """Tokens of the result, what was expanded included."""
    prompt_tokens: int = 0
    """Tokens that the model read to filter."""
    search_seconds: float = 0.0
    """Searching and reordering; seconds of several searches add up."""
    filter_seconds: float = 0.0
    expand_seconds: float = 0.0
    fallback: str = ""
    """Why the ranking decided where the model should have; empty where the model did."""
    decisions: tuple[ChunkDecision, ...] = ()
    """One for each hit looked at, in their order."""

    @staticmethod
    def total(parts: Sequence["FilterStats"]) -> "FilterStats":
        """Return the sum of several records.

        >>> FilterStats.total([FilterStats("score", 4, 3), FilterStats("score", 2, 2)]).kept
        5
        """
        summed = FilterStats(
            mode=parts[0].mode if parts else "off",
            original=sum(part.original for part in parts),
            kept=sum(part.kept for part in parts),
            expanded=sum(part.expanded for part in parts),
            discarded=sum(part.discarded for part in parts),
            undecided=sum(part.undecided for part in parts),
            unknown_ids=sum(part.unknown_ids for part in parts),
            repeated_ids=sum(part.repeated_ids for part in parts),
            reused=sum(part.reused for part in parts),
            tokens_before=sum(part.tokens_before for part in parts),
            tokens_after=sum(part.tokens_after for part in parts),
            prompt_tokens=sum(part.prompt_tokens for part in parts),
            search_seconds=sum(part.search_seconds for part in parts),
            filter_seconds=sum(part.filter_seconds for part in parts),
            expand_seconds=sum(part.expand_seconds for part in parts),
            fallback="; ".join(dict.fromkeys(part.fallback for part in parts if part.fallback)),
            decisions=tuple(decision for part in parts for decision in part.decisions),
        )
        return replace(summed, reduction_ratio=reduction(summed.original, summed.kept))


@dataclass(frozen=True, slots=True)
class Filtered:
    """The result of a filter: the hits it kept in their order, then what they refer to."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = FilterStats()


def reduction(original: int, kept: int) -> float:
    """Return the share of hits that a filter left out; 0 where there were none.

    >>> reduction(40, 25), reduction(0, 0)
    (0.375, 0.0)
    """
    return 1 - kept / original if original else 0.0


def counted(mode: Mode, decisions: Sequence[ChunkDecision]) -> FilterStats:
    """Return the record of `decisions`, as far as they tell.

    >>> counted("score", [ChunkDecision("a", kept=True), ChunkDecision("b", "discard")]).discarded
    1
    """
    kept = sum(decision.kept for decision in decisions)
    asked = mode in {"pointwise", "llm"}
    return FilterStats(
        mode=mode,
        original=len(decisions),
        kept=kept,
        discarded=sum(decision.verdict == "discard" for decision in decisions),
        undecided=sum(decision.verdict == "undecided" for decision in decisions) if asked else 0,
        reused=sum(decision.why == "reused" for decision in decisions),
        reduction_ratio=reduction(len(decisions), kept),
        decisions=tuple(decisions),
    )


def settled(
    hits: Sequence[Hit],
    decisions: Sequence[ChunkDecision],
    *,
    max_chunks: int,
    empty_below: float,
) -> tuple[ChunkDecision, ...]:
    """Return the decisions on `hits`, with `kept` for at most `max_chunks` of them.

    Hits with a verdict for them have seats first, then the undecided by rank. A model that
    discards all it was shown is believed where the best hit is less similar than `empty_below`:
    then nothing is kept. Else it is overruled, and the first hits are kept.
    """
    if _discards_all(decisions):
        if _all_below(hits, empty_below):
            return tuple(decisions)
        decisions = [replace(decision, why="overruled") for decision in decisions]
        return _seated(decisions, range(len(decisions)), max_chunks)
    wanted = [i for i, d in enumerate(decisions) if d.verdict not in {"discard", "undecided"}]
    undecided = [i for i, d in enumerate(decisions) if d.verdict == "undecided"]
    return _seated(decisions, [*wanted, *undecided], max_chunks)


def _seated(
    decisions: Sequence[ChunkDecision], places: Sequence[int], max_chunks: int
) -> tuple[ChunkDecision, ...]:
    seats = set(places[:max_chunks])
    return tuple(replace(decision, kept=i in seats) for i, decision in enumerate(decisions))


def _discards_all(decisions: Sequence[ChunkDecision]) -> bool:
    """Return whether everything that the model was asked about was answered with "discard"."""
    asked = [d for d in decisions if d.why not in {"not_asked", "no_room"}]
    return bool(asked) and all(decision.verdict == "discard" for decision in asked)


def _all_below(hits: Sequence[Hit], similarity: float) -> bool:
    """Return whether all hits are known to be less similar than that."""
    known = [hit.similarity for hit in hits if hit.similarity is not None]
    return len(known) == len(hits) and max(known, default=-1.0) < similarity


def filter_by_score(
    hits: Sequence[Hit], *, min_similarity: float
) -> tuple[tuple[Hit, ...], FilterStats]:
    """Keep the hits that are similar enough; one without a similarity is kept."""
    kept = tuple(h for h in hits if h.similarity is None or h.similarity >= min_similarity)
    ids = {hit.chunk.chunk_id for hit in kept}
    decisions = [
        ChunkDecision(h.chunk.chunk_id, "undecided", "rank", kept=True)
        if h.chunk.chunk_id in ids
        else ChunkDecision(h.chunk.chunk_id, "discard", "similarity")
        for h in hits
    ]
    return kept, counted("score", decisions)
