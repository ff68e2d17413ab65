"""Which chunks were left out of the evidence, and why."""

from dataclasses import dataclass
from typing import Literal

from research_agent.types import Hit

PruneMode = Literal["off", "threshold", "ratio"]
"""What decided."""
PruneSource = Literal["none", "gain", "similarity"]
"""What chunks were judged by: nothing, how much surer they make the model, or their cosine."""
Protection = Literal["", "table", "quotation", "identifier", "number"]
"""Why a chunk is never pruned: it is a table, or has a quotation, a name or a number of
the question; empty for nothing."""
PruneWhy = Literal["gain", "similarity", "floor", "unmeasured", "refused", "reinstated", Protection]
"""What decided: its value; that one chunk has to stay; that it has no value, so it stays; that the
model, given it, wrote that it does not know; that it was brought back; or what protects it."""


@dataclass(frozen=True, slots=True)
class PruneDecision:
    """What became of one chunk. It has a gain or a similarity, never both."""

    chunk_id: str
    kept: bool
    why: PruneWhy
    gain: float | None = None
    """How much surer the chunk made the model, in normalised uncertainty."""
    nu: float | None = None
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
    """Pruning so far: its record, and the chunks that may be brought back."""

    stats: PruneStats = UNPRUNED
    dropped: tuple[Hit, ...] = ()
    spent: bool = False
    """What was left out was brought back once: nothing more is left out for this question."""

    @property
    def may_return(self) -> bool:
        """Whether there is something to bring back."""
        return bool(self.dropped) and not self.spent
