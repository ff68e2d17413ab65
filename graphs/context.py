"""What one run may change: the form that Studio shows, and what a parent graph hands down.

Roles, models and the index are no part of it: they are chosen when the graph is built.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from research_agent.errors import ToolInputError
from research_agent.metering import limited
from research_agent.presets import changed, with_preset, with_readable_stages
from research_agent.setting_fields import descriptions, number_range, values
from research_agent.settings import Preset, Settings
from research_agent.types.filtering import Mode
from research_agent.types.limits import GivenLimits, Limits, Profile, SearchMode

from .tool_inputs import valid

STAGES = {
    "retrieval_mode": "retrieval.mode",
    "refinement_mode": "refinement.mode",
    "search_mode": "search.mode",
    "filter_mode": "filter.mode",
    "prune_mode": "prune.mode",
    "verify_profile": "verify.profile",
    "search_chunks": "search.max_chunks",
    "evidence_chunks": "evidence.max_chunks",
}
"""Fields that take the place of a setting."""


def _as(key: str, more: str = "") -> Any:  # noqa: ANN401 (pydantic's own type)
    section, _, name = key.rpartition(".")
    owner = type(getattr(Settings(), section)) if section else Settings
    limits = number_range(owner, name)
    low, high = (limits.low, limits.high) if limits else (None, None)
    about = " ".join(filter(None, (descriptions(owner)[name], more, "Empty: as configured.")))
    return Field(None, ge=low, le=high, description=about)


def _at_most(name: str) -> Any:  # noqa: ANN401 (pydantic's own type)
    return _as(f"budget.{name}", f"More than budget.{name} is not given.")


class ResearchContext(BaseModel):
    """Numbers and modes of one run; what is left empty stays as it is configured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Preset | None = _as("preset")
    rounds: int | None = _as("budget.rounds", "More than budget.max_rounds is an error.")
    llm_calls: int | None = _at_most("llm_calls")
    tool_calls: int | None = _at_most("tool_calls")
    tokens: int | None = _at_most("tokens")
    seconds: float | None = _at_most("seconds")
    cost: float | None = Field(
        default=None,
        gt=0,
        description="Money at most, in the unit of models.prices. Empty: as configured.",
    )
    retrieval_mode: Literal["hybrid", "dense", "lexical"] | None = _as("retrieval.mode")
    refinement_mode: Literal["auto", "pure", "off"] | None = _as("refinement.mode")
    search_mode: SearchMode | None = _as("search.mode")
    filter_mode: Mode | None = _as("filter.mode")
    prune_mode: Literal["off", "threshold", "ratio"] | None = _as("prune.mode")
    verify_profile: Profile | None = _as("verify.profile")
    search_chunks: int | None = _as("search.max_chunks")
    evidence_chunks: int | None = _as("evidence.max_chunks")

    @classmethod
    def of(cls, limits: GivenLimits) -> "ResearchContext":
        """Return the context that hands down `limits`; the graph reports what is too small.

        Raises ToolInputError for a field or a mode that there is not.
        """
        given: dict[str, Any] = dict(values(Limits.of(limits)))
        try:
            valid(cls, **{name: value for name, value in given.items() if isinstance(value, str)})
        except ToolInputError as error:
            hint = f"The fields of Limits are: {', '.join(given)}."
            raise ToolInputError(str(error), hint=hint) from error
        return cls.model_construct(**given)


UNCHANGED = ResearchContext()


def adjusted(settings: Settings, context: object, unreadable: int = 0) -> Settings:
    """Return the settings of one run; any other graph's context changes nothing.

    `unreadable`: replies of the run that could not be read so far (`with_readable_stages`).

    Raises BudgetError where a limit is too small to begin with, ToolInputError for more rounds
    than `budget.max_rounds`, and ConfigError for a preset that does not exist.
    """
    if not isinstance(context, ResearchContext):
        context = UNCHANGED
    if context.preset:
        settings = with_preset(settings, context.preset)
    settings = with_readable_stages(settings, unreadable)
    if context == UNCHANGED:
        return settings
    limits = Limits(**{name: getattr(context, name) for name in values(Limits())})
    stages = {key: getattr(context, name) for name, key in STAGES.items()}
    given = {key: value for key, value in stages.items() if value is not None}
    return changed(settings, {**given, "budget": limited(settings.budget, limits)})
