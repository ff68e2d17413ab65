"""The whole configuration."""

from dataclasses import dataclass, field
from typing import Literal

from research_agent.errors import ConfigError
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
from research_agent.settings.models import ModelSettings
from research_agent.settings.ordering import BlendSettings, RerankSettings
from research_agent.settings.pruning import PruneSettings
from research_agent.settings.ranges import check_ranges
from research_agent.settings.sessions import SessionSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration, as read from `config.yaml`."""

    preset: Preset = "auto"
    """Which stages act, and how much they may read: `research-agent config show --preset NAME`
    shows one. "auto": "local" for the embedded model, "full" for a server. Below every own key."""
    documents: DocumentSettings = field(default_factory=DocumentSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    refinement: RefinementSettings = field(default_factory=RefinementSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    blend: BlendSettings = field(default_factory=BlendSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    filter: FilterSettings = field(default_factory=FilterSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    prune: PruneSettings = field(default_factory=PruneSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    laid: Laid = field(default=Laid(), compare=False, metadata={"hidden": True})
    """No setting: which preset is in these values, and which keys are the user's own."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        check_ranges(self)
        if self.confidence.top_k > self.retrieval.top_k:
            msg = (
                f"confidence.top_k ({self.confidence.top_k}) must not be larger than "
                f"retrieval.top_k ({self.retrieval.top_k})"
            )
            raise ConfigError(msg, hint="Only what was retrieved can be read.")
        if self.budget.rounds > self.budget.max_rounds:
            msg = (
                f"budget.rounds ({self.budget.rounds}) must not be larger than "
                f"budget.max_rounds ({self.budget.max_rounds})"
            )
            raise ConfigError(msg, hint="Raise budget.max_rounds, or lower budget.rounds.")

    @property
    def refuses_by(self) -> Literal["check", "prompt"]:
        """How refusals are decided, with "auto" resolved by the provider of the answer's model."""
        if self.answer.refusal != "auto":
            return self.answer.refusal
        return "check" if self.models.role("answer").provider == "local" else "prompt"

    @property
    def judges(self) -> Literal["off", "unsure", "all"]:
        """Which sentences are judged, with "auto" resolved by the provider of the verifier."""
        if self.verify.judge != "auto":
            return self.verify.judge
        return "unsure" if self.models.role("verifier").provider == "local" else "all"
