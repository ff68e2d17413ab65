"""What blending a second opinion into the order of hits did to one ranking."""

from dataclasses import dataclass
from typing import Literal

Collapse = Literal["", "constant", "not finite", "flat"]
"""Why a channel says nothing about the order: its scores are all equal up to rounding, one is no
finite number, or the scaling has made them equal."""


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
    """Ranks among the first `top_k` that another chunk holds now."""
    before: tuple[str, ...] = ()
    """Chunk ids of the first `top_k` hits."""
    after: tuple[str, ...] = ()
