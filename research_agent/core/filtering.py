"""Which hits of a search are kept, and a record of what was not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.core.types import Hit

Mode = Literal["off", "score", "llm"]


@dataclass(frozen=True, slots=True)
class FilterStats:
    """What a filter did."""

    mode: Mode = "off"
    found: int = 0
    """Hits before the filter."""
    kept: int = 0
    unjudged: int = 0
    """Hits that the model gave no verdict on; they are kept."""
    fallback: str = ""
    """Why the model was not asked about all of them; empty where it was."""

    @staticmethod
    def total(parts: Sequence["FilterStats"]) -> "FilterStats":
        """Return the sum of several records.

        >>> FilterStats.total([FilterStats("score", 4, 3), FilterStats("score", 2, 2)]).kept
        5
        """
        return FilterStats(
            parts[0].mode if parts else "off",
            sum(part.found for part in parts),
            sum(part.kept for part in parts),
            sum(part.unjudged for part in parts),
            "; ".join(dict.fromkeys(part.fallback for part in parts if part.fallback)),
        )


def filter_by_score(
    hits: Sequence[Hit], *, min_similarity: float
) -> tuple[tuple[Hit, ...], FilterStats]:
    """Keep the hits that are similar enough; one without a similarity is kept."""
    kept = tuple(h for h in hits if h.similarity is None or h.similarity >= min_similarity)
    return kept, FilterStats("score", len(hits), len(kept))


def filter_by_relevance(
    hits: Sequence[Hit],
    relevance: Sequence[float | None],
    *,
    min_relevance: float,
    fallback: str = "",
) -> tuple[tuple[Hit, ...], FilterStats]:
    """Keep the hits that a model finds relevant, and those it said nothing of, in their order.

    Where it finds none relevant, the best-ranked hit stays: a filter must not empty a search.
    `fallback` is the reason why it was not asked about all of them.
    """
    pairs = list(zip(hits, relevance, strict=True))
    kept = tuple(hit for hit, value in pairs if value is None or value >= min_relevance)
    kept = kept or tuple(hits[:1])
    unjudged = sum(value is None for value in relevance)
    return kept, FilterStats("llm", len(hits), len(kept), unjudged, fallback)
