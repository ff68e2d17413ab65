"""Which chunks are left out of the evidence, and when they are brought back."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from research_agent.answering.select_evidence.protection import Protection
from research_agent.types import Hit

PruneMode = Literal["off", "threshold", "top_k", "ratio", "greedy"]
PruneSource = Literal["none", "gain", "similarity"]
"""What chunks were judged by: nothing, how much surer they make the model, or their cosine."""
PruneWhy = Literal["gain", "similarity", "floor", "unmeasured", "refused", "reinstated", Protection]
"""What decided: its value; that some chunk has to stay (`prune.least`); that it has no value, so
it stays; that the model, given it, wrote that it does not know; that it was brought back; or what
protects it."""


@dataclass(frozen=True, slots=True)
class PruneDecision:
    """What became of one chunk. Values of two kinds never stand in one field."""

    chunk_id: str
    kept: bool
    why: PruneWhy
    gain: float | None = None
    """How much surer the chunk made the model, in normalised uncertainty."""
    nu: float | None = None
    """Normalised uncertainty with the chunk."""
    token_count: int = 0
    """Tokens that it is the mean of."""
    similarity: float | None = None
    """Cosine to the question, where that decided."""


@dataclass(frozen=True, slots=True)
class PruneStats:
    """What pruning did in all rounds of a question."""

    mode: PruneMode = "off"
    source: PruneSource = "none"
    original: int = 0
    """Chunks that would have entered the evidence."""
    kept: int = 0
    protected: int = 0
    """Those of the kept ones that were not up for a decision."""
    unmeasured: int = 0
    """Those that have no value: a call failed, or was not paid. They are kept."""
    reinstated: int = 0
    """Chunks that were left out and brought back."""
    calls: int = 0
    """Model calls that measuring took."""
    tokens_before: int = 0
    """Tokens of the evidence without pruning, with what belongs to the chunks."""
    tokens_after: int = 0
    nu: float | None = None
    """Normalised uncertainty without any chunk, of the last round that was measured."""
    fallback: str = ""
    """Why not, or not all, was judged by gain; empty where it was."""
    decisions: tuple[PruneDecision, ...] = ()


UNPRUNED = PruneStats()
"""Nothing was left out."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning did so far, and what may be brought back."""

    stats: PruneStats = PruneStats()
    dropped: tuple[Hit, ...] = ()
    spent: bool = False
    """What was left out was brought back once: nothing more is left out for this question."""

    @property
    def may_return(self) -> bool:
        """Whether there is something to bring back."""
        return bool(self.dropped) and not self.spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How many of the measured chunks stay."""

    mode: PruneMode
    min_value: float
    """Mode "threshold": the least gain, or cosine."""
    keep: int
    keep_ratio: float
    least: int
    """Chunks that stay in any case; 0: none has to."""


def kept_places(
    values: Sequence[float | None],
    rule: Rule,
    *,
    protected: Collection[int] = (),
    against: Collection[int] = (),
    relative: bool = False,
) -> frozenset[int]:
    """Return the places of the chunks that stay.

    `values` are of one kind; a chunk without one stays, unless it is one of those `against` which
    something else speaks. What stays without a value takes part in the count of "top_k" and
    "ratio". Of equal values the first stays. Mode "threshold": where no value reaches the least
    one, or values are good for comparing only (`relative`), those from their median up stay, for
    a model that is sure of a wrong guess is made less sure by every chunk; with `least` 0 none
    does.

    >>> rule = Rule(mode="threshold", min_value=0.05, keep=1, keep_ratio=0.5, least=1)
    >>> sorted(kept_places([0.2, 0.01, None, -0.1], rule))
    [0, 2]
    >>> sorted(kept_places([-0.2, -0.1, -0.3], rule))
    [0, 1]
    >>> sorted(kept_places([0.2, 0.3, 0.1], replace(rule, mode="top_k"), protected=[2]))
    [2]
    """
    known = [
        (value, at)
        for at, value in enumerate(values)
        if value is not None and at not in protected and at not in against
    ]
    by_value = [at for _, at in sorted(known, key=lambda item: (-item[0], item[1]))]
    given = {at for at in range(len(values)) if at not in by_value and at not in against}
    given |= {at for at in protected if at < len(values)}
    kept = given | set(by_value[: _room(known, rule, len(values), len(given), relative=relative)])
    last = [at for at in (*by_value, *sorted(against)) if at not in kept]
    return frozenset(kept | set(last[: max(0, rule.least - len(kept))]))


def _room(
    known: Sequence[tuple[float, int]], rule: Rule, every: int, given: int, *, relative: bool
) -> int:
    """Return how many of the known chunks, the best first, stay beside those that are `given`."""
    if rule.mode == "top_k":
        return max(0, rule.keep - given)
    if rule.mode == "ratio":
        return max(0, max(1, math.ceil(every * rule.keep_ratio - 1e-9)) - given)
    values = [value for value, _ in known]
    least = rule.min_value
    if values and rule.least and (relative or max(values) < least):
        least = median(values)
    return sum(value >= least for value in values)


def added(before: PruneStats, now: PruneStats) -> PruneStats:
    """Return the stats of two rounds as one.

    >>> added(PruneStats("ratio", original=3, kept=2), PruneStats("ratio", original=4, kept=2)).kept
    4
    """
    return replace(
        now,
        original=before.original + now.original,
        kept=before.kept + now.kept,
        protected=before.protected + now.protected,
        unmeasured=before.unmeasured + now.unmeasured,
        reinstated=before.reinstated + now.reinstated,
        calls=before.calls + now.calls,
        tokens_before=before.tokens_before + now.tokens_before,
        tokens_after=before.tokens_after + now.tokens_after,
        nu=before.nu if now.nu is None else now.nu,
        fallback=now.fallback or before.fallback,
        decisions=(*before.decisions, *now.decisions),
    )


def brought_back(pruned: Pruned, chunk_ids: Collection[str], tokens: int) -> Pruned:
    """Return what is known of pruning once `chunk_ids` of what was left out are back."""
    decisions = tuple(
        replace(item, kept=True, why="reinstated") if item.chunk_id in chunk_ids else item
        for item in pruned.stats.decisions
    )
    stats = replace(
        pruned.stats,
        kept=pruned.stats.kept + len(chunk_ids),
        reinstated=pruned.stats.reinstated + len(chunk_ids),
        tokens_after=pruned.stats.tokens_after + tokens,
        decisions=decisions,
    )
    return Pruned(stats, spent=True)
