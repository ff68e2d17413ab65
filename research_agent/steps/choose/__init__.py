"""The step that chooses what the model reads, and what it leaves out of that by measurement."""

from research_agent.steps.choose.choosing import choose_evidence
from research_agent.steps.choose.measuring import Gauge
from research_agent.steps.choose.pruned import Chosen, choose_pruned

__all__ = ["Chosen", "Gauge", "choose_evidence", "choose_pruned"]
