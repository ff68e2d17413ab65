"""What assessing, ranking and blending the hits of a search have found out."""

from dataclasses import dataclass
from typing import Literal

Collapse = Literal["", "constant", "not finite", "flat"]
"""Why a channel says nothing about the order: its scores are all equal up to rounding, one is no
finite number, or the scaling has made them equal."""


@dataclass(frozen=True, slots=True)
class RetrievalConfidence:
    """Confidence in a ranking, its parts, and the decision."""

    value: float = 0.0
    top_similarity: float = 0.0
    background: float = 0.0
    """Mean similarity of the hits that are not among the best; 0 where there are none."""
    concentration: float = 0.0
    """Lead of the best hit over the background, as a weight in [0, 1]."""
    length_weight: float = 0.0
    decision: Literal["refine", "bypass"] = "refine"
    reason: str = "nothing was searched yet"
    words: int = 0
    """Words of the query; two characters of a script without spaces are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendDiagnostics:
    """What blending a second opinion into the order of hits did to one ranking."""

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
    """Ranks among the first `top_k` that another chunk holds now."""
    before: tuple[str, ...] = ()
    """Chunk ids of the first `top_k` hits."""
    after: tuple[str, ...] = ()
