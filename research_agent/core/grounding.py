"""provisional"""
from collections.abc import Mapping
from dataclasses import dataclass, field

from research_agent.core.hard_facts import Fact
from research_agent.core.quote_search import Quote


@dataclass(frozen=True, slots=True)
class Grounded:
    probability: float = 0.0
    facts: tuple[Fact, ...] = ()
    quotes: Mapping[str, Quote] = field(default_factory=dict)
    contradicted_by: str = ""


@dataclass(frozen=True, slots=True)
class GroundingModel:
    limit: float = 0.5
    unsure: tuple[float, float] = (0.3, 0.7)
