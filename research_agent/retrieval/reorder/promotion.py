"""Hits that hold the query's own technical words move up, behind gates and under a cap.

The rest keep their order. Of the first k hits at most half give way, so a ranking that was right
stays right: that is what "do no harm" means here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.text.words import index_words
from research_agent.types import Hit, chunk_header
from research_agent.types.fusion import best_first, reordered
from research_agent.types.question_plan import QuestionKind

POOL = 40
"""Hits that may be moved up: the first ones."""
MOST = 8
"""Hits that are promoted at most, whatever k is."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of question weighs its evidence, and what may be promoted at all."""

    prior: float
    """Weight of the hit's own score."""
    words: float
    """Weight of its score in the lexical index."""
    anchors: float
    """Weight of the query's technical words that it holds."""
    gates: tuple[tuple[int, float], ...]
    """Pairs of anchors and lexical score (0 to 1); a hit needs both of any one pair."""


GENERAL = Rule(0.70, 0.20, 0.10, ((2, 0.0), (0, 0.70)))
RULES: Mapping[QuestionKind, Rule] = {
    "definition": Rule(0.35, 0.45, 0.20, ((1, 0.0), (0, 0.55))),
    "look-up": Rule(0.45, 0.20, 0.35, ((2, 0.0), (1, 0.60))),
    "comparison": Rule(0.60, 0.30, 0.10, ((1, 0.65),)),
}
"""By the kind of question; `GENERAL` for every other kind."""


def cap(top_k: int) -> int:
    """Return how many of the `top_k` hits that are shown may be promoted ones."""
    return min(MOST, max(0, top_k) // 2)


def anchors(query: str) -> frozenset[str]:
    """Return the technical words of a query: compounds, words with a digit, acronyms, names."""
    return frozenset(
        words[0]
        for word in query.split()
        if (words := index_words(word))
        and (len(words) > 1 or any(c.isdigit() for c in word) or _inner_capital(word))
    )


def promote(
    query: str, hits: Sequence[Hit], *, top_k: int, kind: QuestionKind = "general"
) -> tuple[Hit, ...]:
    """Move the best-founded of the first `POOL` hits up, at most `cap(top_k)` of them.

    `top_k` is how many hits are shown: its first `top_k - cap(top_k)` hits stay among them. Ties
    keep the order of the scores; the order in which `hits` come changes nothing.
    """
    given = best_first(hits)
    inside, rule, named = given[:POOL], RULES.get(kind, GENERAL), anchors(query)
    prior = _min_max([hit.score for hit in inside])
    words = _min_max([hit.lexical or 0.0 for hit in inside])
    held = [_held(named, hit) if named else 0 for hit in inside]
    most = max(held, default=0) or 1
    value = {
        at: rule.prior * prior[at] + rule.words * words[at] + rule.anchors * held[at] / most
        for at in range(len(inside))
        if any(held[at] >= count and words[at] >= least for count, least in rule.gates)
    }
    chosen = sorted(value, key=lambda at: (-value[at], at))[: cap(top_k)]
    rest = [at for at in range(len(given)) if at not in set(chosen)]
    return reordered(given, [*chosen, *rest])


def _inner_capital(word: str) -> bool:
    return any(c.isupper() for c in word.lstrip("\"'([{")[1:])


def _held(named: frozenset[str], hit: Hit) -> int:
    return len(named & set(index_words(f"{chunk_header(hit.chunk)}\n{hit.chunk.text}")))


def _min_max(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]
