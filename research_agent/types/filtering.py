"""Which hits of a search are kept, and a record of what was not."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from research_agent.types import Hit

Mode = Literal["off", "score", "llm"]
Verdict = Literal["keep", "expand_1", "expand_3", "expand_5", "discard", "undecided"]
"""The filter's verdict; `expand_n`: keep, with what is up to `n` references away."""
Why = Literal[
    "model", "reused", "rank", "similarity", "no_room", "not_mentioned", "failed", "all_discarded"
]
"""Where a verdict comes from: this call of the model, an earlier one, the ranking alone, or the
least similarity; and why there is none: the chunk had no place in the prompt, is not in the reply,
the call failed. "all_discarded": the model discarded every hit, and this one is kept all the same
as one of the best."""
Fallback = Literal["", "error", "time_out", "unreadable", "budget", "no_room"]
"""Why the ranking decides instead of the model: its call failed, was late, said nothing that can be
read, was not paid, or the prompt had no room for any chunk."""
DEPTHS: Mapping[Verdict, int] = {"expand_1": 1, "expand_3": 3, "expand_5": 5}
"""Steps along references that a verdict asks for."""
SUMMED = (
    *("original", "kept", "expanded", "discarded", "undecided", "unknown_ids", "repeated_ids"),
    *("reused", "tokens_before", "tokens_after", "prompt_tokens", "search_seconds"),
    *("filter_seconds", "expand_seconds", "dangling_before", "dangling_after"),
)


@dataclass(frozen=True, slots=True)
class ChunkDecision:
    """What the filter made of one hit."""

    chunk_id: str
    verdict: Verdict = "undecided"
    why: Why = "rank"
    kept: bool = False
    reason: str = ""
    """Why, in the model's words, a few words; empty where it gave none."""


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
    repeated_ids: int = 0
    """Verdicts on a chunk that had one already; the first counts."""
    reused: int = 0
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
        """Return the sum of several records."""
        summed: dict[str, Any] = {
            name: sum(getattr(part, name) for part in parts) for name in SUMMED
        }
        return FilterStats(
            **summed,
            mode=parts[0].mode if parts else "off",
            reduction_ratio=_left_out(summed["original"], summed["kept"]),
            fallback="; ".join(dict.fromkeys(part.fallback for part in parts if part.fallback)),
            decisions=tuple(decision for part in parts for decision in part.decisions),
            fallback_type=next((p.fallback_type for p in parts if p.fallback_type), ""),
        )


@dataclass(frozen=True, slots=True)
class Filtered:
    """The result of a filter: the hits it kept in their order, with what they refer to."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = FilterStats()


def counted(mode: Mode, decisions: Sequence[ChunkDecision]) -> FilterStats:
    """Return the record of `decisions`, as far as they tell."""
    kept = sum(decision.kept for decision in decisions)
    undecided = sum(decision.verdict == "undecided" for decision in decisions)
    return FilterStats(
        mode=mode,
        original=len(decisions),
        kept=kept,
        discarded=sum(decision.verdict == "discard" for decision in decisions),
        undecided=undecided if mode == "llm" else 0,
        reused=sum(decision.why == "reused" for decision in decisions),
        reduction_ratio=_left_out(len(decisions), kept),
        decisions=tuple(decisions),
    )


def oversampled(max_chunks: int, oversample: float) -> int:
    """Return how many hits are judged for `max_chunks` that are wanted."""
    return math.ceil(round(max_chunks * max(1.0, oversample), 6))


def _left_out(original: int, kept: int) -> float:
    return 1 - kept / original if original else 0.0
