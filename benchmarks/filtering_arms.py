"""The ways to choose hits that are compared."""

from dataclasses import dataclass, replace

from research_agent.settings import FilterSettings, RetrievalSettings, Settings

OFF = FilterSettings(mode="off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to choose."""

    name: str
    max_chunks: int
    """What the caller of the search wants."""
    filter: FilterSettings = OFF
    depth: int = 0
    """Add what the hits refer to in so many steps, up to `MOST` chunks in all."""

    @property
    def asks(self) -> bool:
        """Whether it needs a model."""
        return self.filter.mode == "llm"

    def settings(self, own: Settings) -> Settings:
        """Return settings with this arm's."""
        return replace(own, filter=self.filter, retrieval=wide(own.retrieval))


MOST = 25
"""Chunks that evidence may hold."""
FEW = 10
"""Chunks that a search of the agent returns."""
TOGETHER = "llm, 10 of x1.6"
WHOLE = 8000
"""Tokens of a prompt that has room for all hits in full."""


def wide(settings: RetrievalSettings) -> RetrievalSettings:
    """Return settings with which twice as many hits are found as evidence may hold."""
    return replace(settings, top_k=max(settings.top_k, 2 * MOST))


def together(name: str, *, expanded: int = 15, prompt_tokens: int = 2000) -> Arm:
    """Return an arm that asks about all hits at once, and follows what the model expands."""
    how = FilterSettings(mode="llm", max_expanded=expanded, max_prompt_tokens=prompt_tokens)
    return Arm(name=name, max_chunks=FEW, filter=how)


ARMS: tuple[Arm, ...] = (
    Arm(name="off, 25", max_chunks=MOST),
    Arm(name="score, 25", max_chunks=MOST, filter=FilterSettings(mode="score")),
    Arm(name="off, 10", max_chunks=FEW),
    Arm(name="score, 10", max_chunks=FEW, filter=FilterSettings(mode="score")),
    *(Arm(name=f"10 + references, depth {n}", max_chunks=FEW, depth=n) for n in (1, 3, 5)),
    together(TOGETHER),
    together(f"{TOGETHER}, nothing expanded", expanded=0),
    together(f"{TOGETHER}, whole chunks", prompt_tokens=WHOLE),
)
