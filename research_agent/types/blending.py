"""A second opinion about the order of hits, mixed in by weight.

The second channel is any score by chunk id: codes (`core.code_book`), words, a reranker. The
first one is the hits' own score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from research_agent.retrieval.reorder.blending_scales import Collapse, Scale, Scaled, scaled
from research_agent.retrieval.reorder.rank_correlation import spearman
from research_agent.types import Hit
from research_agent.types.reordering import best_first, reordered


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendRule:
    """How two channels are mixed. Raises ValueError for an `alpha` that is no weight."""

    alpha: float
    """Weight of the first channel, 0 to 1; the second one has the rest."""
    top_k: int
    """Hits that are shown in the end; diagnostics look at them."""
    pool: int
    """Hits that may change places: the first ones."""
    scale: Scale = field(default_factory=Scale)

    def __post_init__(self) -> None:
        """Refuse what is no weight."""
        if not 0.0 <= self.alpha <= 1.0:
            raise ValueError(f"alpha is a weight from 0 to 1, got {self.alpha}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendDiagnostics:
    """What blending did to one ranking."""

    alpha: float
    """Weight of the first channel."""
    mode: str
    """How the scores were brought to one scale."""
    pool: int
    """Hits that could change places."""
    known: int
    """Of these, hits that the second channel has a score for."""
    first: Collapse = ""
    """Why the first channel was switched off; empty where it was not."""
    second: Collapse = ""
    """Why the second channel was switched off."""
    spearman: float | None = None
    """Rank correlation of the channels over the pool; None where one is constant."""
    changed: int = 0
    """Places among the first `top_k` that another chunk holds now."""
    before: tuple[str, ...] = ()
    """Chunk ids of the first `top_k` hits."""
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blended:
    """Hits in their new order, and how it came about."""

    hits: tuple[Hit, ...]
    diagnostics: BlendDiagnostics


def pool_size(top_k: int, *, multiplier: float, largest: int, corpus: int) -> int:
    """Return how many hits are blended: `top_k` times `multiplier`, within both limits.

    >>> pool_size(10, multiplier=5, largest=200, corpus=1000)
    50
    >>> pool_size(100, multiplier=5, largest=200, corpus=150)
    150
    """
    return max(0, min(int(top_k * multiplier), largest, corpus))


def blend(hits: Sequence[Hit], second: Mapping[str, float], rule: BlendRule) -> Blended:
    """Order the first `rule.pool` hits by alpha * their score + (1 - alpha) * the second channel.

    Both are brought to one scale first. A channel that collapses is switched off: without the
    second one nothing changes, without the first one the second decides alone. A chunk that the
    second channel has no score for counts as the worst of those that it has. Ties keep the order
    of the hits' own scores, so `alpha` 1 changes nothing and 0 gives the second channel's order.

    >>> from research_agent.types import Chunk
    >>> hits = [Hit(Chunk("a", "d", ""), 0.9), Hit(Chunk("b", "d", ""), 0.8)]
    >>> found = blend(hits, {"a": 1, "b": 2}, BlendRule(alpha=0.0, top_k=2, pool=2))
    >>> [hit.chunk.chunk_id for hit in found.hits], found.diagnostics.changed
    (['b', 'a'], 2)
    """
    given = best_first(hits)
    inside = given[: rule.pool]
    known = [second.get(hit.chunk.chunk_id) for hit in inside]
    worst = min((value for value in known if value is not None), default=0.0)
    other = [worst if value is None else value for value in known]
    own = [hit.score for hit in inside]
    one, two = scaled(own, rule.scale), scaled(other, rule.scale)
    order = _order(one, two, rule.alpha)
    after = reordered(given, [*order, *range(len(inside), len(given))])
    ids = [[hit.chunk.chunk_id for hit in ranking[: rule.top_k]] for ranking in (given, after)]
    diagnostics = BlendDiagnostics(
        alpha=rule.alpha,
        mode=rule.scale.mode,
        pool=len(inside),
        known=sum(value is not None for value in known),
        first=one.collapse,
        second=two.collapse,
        spearman=None if one.collapse or two.collapse else spearman(own, other),
        changed=sum(a != b for a, b in zip(*ids, strict=True)),
        before=tuple(ids[0]),
        after=tuple(ids[1]),
    )
    return Blended(after, diagnostics)


def _order(one: Scaled, two: Scaled, alpha: float) -> list[int]:
    """Return the positions in their new order."""
    places = list(range(len(one.values)))
    if two.collapse or alpha == 1.0:
        return places
    weight = 0.0 if one.collapse else alpha
    sums = [weight * a + (1.0 - weight) * b for a, b in zip(one.values, two.values, strict=True)]
    return sorted(places, key=lambda at: (-sums[at], at))
