"""Which hits of a search are kept, and a record of what was not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.types import Hit

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
    "all_discarded",
]
"""Where a verdict comes from: this call of the model, an earlier one, the ranking alone, or the
least similarity; and why there is none: the chunk was not among those judged, had no place in the
prompt, is not in the reply, the call failed. "all_discarded": the model discarded every hit, and
this one is kept all the same as one of the best."""
Fallback = Literal["", "error", "time_out", "unreadable", "budget", "no_room"]
"""Why the ranking decides instead of the model: its call failed, was late, said nothing that can be
read, was not paid, or the prompt had no room for any chunk."""
LAST = 2
"""Hits that are kept where the model discards every one: what reads them may judge otherwise."""
MAX_REASON = 80
"""Characters of a reason."""
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
    reason: str = ""
    """Why, in the model's words, at most `MAX_REASON` characters; empty where it gave none."""


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
    fallback_type: Fallback = ""
    """The kind of the first fallback; empty where there was none."""
    dangling_before: int = 0
    """References of kept hits to chunks that are not in the result, before expansion."""
    dangling_after: int = 0
    """The same after expansion."""

    @property
    def all_discarded(self) -> bool:
        """Whether the model discarded every hit of a search."""
        return any(decision.why == "all_discarded" for decision in self.decisions)

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
            fallback_type=next((p.fallback_type for p in parts if p.fallback_type), ""),
            dangling_before=sum(part.dangling_before for part in parts),
            dangling_after=sum(part.dangling_after for part in parts),
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


def settled(decisions: Sequence[ChunkDecision], *, max_chunks: int) -> tuple[ChunkDecision, ...]:
    """Return the decisions with `kept` for at most `max_chunks` of them.

    Hits with a verdict for them have seats first, then the undecided by rank. Where the model
    discards all it was shown, the `LAST` best are kept, still with the verdict "discard".

    >>> [d.why for d in settled([ChunkDecision(x, "discard", "model") for x in "ab"], max_chunks=1)]
    ['all_discarded', 'model']
    """
    asked = [i for i, d in enumerate(decisions) if d.why not in {"not_asked", "no_room"}]
    if asked and all(decisions[i].verdict == "discard" for i in asked):
        best = set(asked[: min(LAST, max_chunks)])
        return tuple(
            replace(d, kept=True, why="all_discarded") if i in best else d
            for i, d in enumerate(decisions)
        )
    wanted = [i for i, d in enumerate(decisions) if d.verdict not in {"discard", "undecided"}]
    undecided = [i for i, d in enumerate(decisions) if d.verdict == "undecided"]
    seats = set([*wanted, *undecided][:max_chunks])
    return tuple(replace(decision, kept=i in seats) for i, decision in enumerate(decisions))


def looked_again(first: Filtered, second: Filtered) -> Filtered:
    """Return what two looks leave, of which the first has discarded everything.

    What the second keeps by a verdict is the result; without any, the best of the first, still
    marked as discarded. The record is that of both.
    """
    found = any(
        d.kept and d.verdict not in {"discard", "undecided"} for d in second.stats.decisions
    )
    judged = {decision.chunk_id for decision in second.stats.decisions}
    early = [d for d in first.stats.decisions if d.chunk_id not in judged]
    before = replace(first.stats, decisions=tuple(early), original=len(early))
    if found:
        return Filtered(second.hits, FilterStats.total([_without_hits(before), second.stats]))
    return Filtered(first.hits, FilterStats.total([before, _without_hits(second.stats)]))


def _without_hits(stats: FilterStats) -> FilterStats:
    """Return the record of a look whose hits are not in the result."""
    dropped = tuple(
        replace(d, kept=False, why="model" if d.why == "all_discarded" else d.why)
        for d in stats.decisions
    )
    return replace(
        stats,
        kept=0,
        expanded=0,
        tokens_after=0,
        dangling_before=0,
        dangling_after=0,
        decisions=dropped,
    )


def discarded_note(stats: FilterStats) -> str:
    """Return what a model that searches is told where all hits were discarded; empty otherwise.

    >>> stats = counted("llm", settled([ChunkDecision("a", "discard", "model")], max_chunks=5))
    >>> discarded_note(stats)
    'none of the 1 hits was judged to help; the best are shown all the same: try other words'
    """
    if not stats.all_discarded:
        return ""
    return (
        f"none of the {stats.discarded} hits was judged to help; "
        "the best are shown all the same: try other words"
    )


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
