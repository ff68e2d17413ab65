"""Retrieval confidence, computed from the shape of the dense similarities."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RetrievalConfidence:
    """Confidence in a ranking, what it was made of, and what follows from it."""

    value: float = 0.0
    top_similarity: float = 0.0
    background: float = 0.0
    """Mean similarity of the hits that are not among the best; 0 where there are none."""
    concentration: float = 0.0
    """How far the best hit stands above the background, as a weight in [0, 1]."""
    length_weight: float = 0.0
    decision: Literal["refine", "bypass"] = "refine"
    reason: str = "nothing was searched yet"
    words: int = 0
    """Words of the query; two characters of a script without spaces are one."""
