"""Every knob the agent has, as one immutable tree; `config.yaml` lists them for people.

A number's hard range stands beside its type. Outside it the agent does not start: the error
names the key and the range.
"""

from research_agent.settings.answering import (
    AnswerSettings,
    BudgetSettings,
    EvidenceSettings,
    VerifySettings,
)
from research_agent.settings.documents import DocumentSettings, IndexSettings
from research_agent.settings.finding import (
    ConfidenceSettings,
    FilterSettings,
    RefinementSettings,
    RetrievalSettings,
    SearchSettings,
)
from research_agent.settings.laid import Laid, Preset
from research_agent.settings.models import (
    LocalModelSettings,
    ModelSettings,
    PriceSettings,
    ReplyCacheSettings,
    RoleSettings,
)
from research_agent.settings.ordering import BlendSettings, RerankSettings
from research_agent.settings.pruning import PruneSettings
from research_agent.settings.ranges import Range, check_ranges, lines, number_range, values
from research_agent.settings.sessions import SessionSettings
from research_agent.settings.whole import Settings

__all__ = [
    "AnswerSettings",
    "BlendSettings",
    "BudgetSettings",
    "ConfidenceSettings",
    "DocumentSettings",
    "EvidenceSettings",
    "FilterSettings",
    "IndexSettings",
    "Laid",
    "LocalModelSettings",
    "ModelSettings",
    "Preset",
    "PriceSettings",
    "PruneSettings",
    "Range",
    "RefinementSettings",
    "ReplyCacheSettings",
    "RerankSettings",
    "RetrievalSettings",
    "RoleSettings",
    "SearchSettings",
    "SessionSettings",
    "Settings",
    "VerifySettings",
    "check_ranges",
    "lines",
    "number_range",
    "values",
]
