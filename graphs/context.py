"""What one run may change: the form that Studio shows, and what a parent graph hands down.

Roles, models and the index are no part of it: they are chosen when the graph is built.
"""

from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from research_agent.metering import limited
from research_agent.presets import with_preset, with_readable_stages
from research_agent.setting_fields import number_range, values
from research_agent.settings import (
    BudgetSettings,
    EvidenceSettings,
    Preset,
    SearchSettings,
    Settings,
)
from research_agent.types.filtering import Mode
from research_agent.types.limits import Limits, Profile, SearchMode

from .tool_inputs import valid


def _number(section: type, name: str, what: str) -> Any:  # noqa: ANN401 (pydantic's own type)
    """Return an optional field with the hard range of a setting."""
    limits = number_range(section, name)
    low, high = (limits.low, limits.high) if limits else (None, None)
    return Field(None, ge=low, le=high, description=f"{what} Empty: as configured.")


def _at_most(name: str, what: str) -> Any:  # noqa: ANN401 (pydantic's own type)
    """Return an optional field that lowers a number of the budget."""
    return _number(BudgetSettings, name, f"{what} More than budget.{name} is not given.")


class ResearchContext(BaseModel):
    """Numbers and modes of one run; what is left empty stays as it is configured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Preset | None = Field(
        None,
        description="Which stages act: what the embedded model carries, every stage for a strong "
        "model, or the seed systems'. Keys that were set win over it. Empty: as configured.",
    )
    rounds: int | None = _number(
        BudgetSettings,
        "rounds",
        "Passes from retrieve to verify at most: 1 never searches again. More than "
        "budget.max_rounds is an error.",
    )
    llm_calls: int | None = _at_most("llm_calls", "Calls to language models at most.")
    tool_calls: int | None = _at_most("tool_calls", "Searches at most.")
    tokens: int | None = _at_most("tokens", "Tokens read and written by language models at most.")
    seconds: float | None = _at_most("seconds", "Seconds for the whole question at most.")
    cost: float | None = Field(
        None,
        gt=0,
        description="Money at most, in the unit of models.prices. More than budget.cost is not "
        "given. Empty: as configured.",
    )
    retrieval_mode: Literal["hybrid", "dense", "lexical"] | None = Field(
        None, description="Search by meaning and words, or by one alone. Empty: as configured."
    )
    refinement_mode: Literal["auto", "pure", "off"] | None = Field(
        None,
        description="Better queries from the planner model where the first search is unsure, by "
        "rules alone, or none. Empty: as configured.",
    )
    search_mode: SearchMode | None = Field(
        None,
        description="Who plans the searches of a round: rules, the planner model by tool calls, "
        "or the model where it can. Empty: as configured.",
    )
    filter_mode: Mode | None = Field(
        None,
        description="What leaves out hits: nothing, their similarity, or the filter model, hit by "
        "hit or all at once. Empty: as configured.",
    )
    prune_mode: Literal["off", "threshold", "top_k", "ratio", "greedy"] | None = Field(
        None,
        description="What leaves out evidence that makes the model no surer: nothing, a least "
        "gain, a number or a share that stays, or one chunk after the other. Empty: as configured.",
    )
    verify_profile: Profile | None = Field(
        None,
        description="What an answer's doubt is: the mean entropy of its tokens, its most doubtful "
        "word (DRAGIN), or one of seed system 1's two measures. Empty: as configured.",
    )
    search_chunks: int | None = _number(
        SearchSettings, "max_chunks", "Chunks that a search returns at most."
    )
    evidence_chunks: int | None = _number(
        EvidenceSettings, "max_chunks", "Chunks that the model reads in a round at most."
    )

    @classmethod
    def of(cls, limits: Limits) -> "ResearchContext":
        """Return the context that hands down `limits`; what is too small is told by the graph.

        Raises ToolInputError for a mode that there is not.
        """
        given: dict[str, Any] = dict(values(limits))
        valid(cls, **{name: value for name, value in given.items() if isinstance(value, str)})
        return cls.model_construct(**given)


UNCHANGED = ResearchContext()


def adjusted(settings: Settings, context: object, unreadable: int = 0) -> Settings:
    """Return the settings of one run; any other graph's context changes nothing.

    `unreadable`: replies of the run that could not be read so far (`with_readable_stages`).

    Raises BudgetError where a limit is too small to begin with, and ConfigError for more rounds
    than `budget.max_rounds` or a preset that does not exist.

    >>> adjusted(Settings(), ResearchContext(filter_mode="off", seconds=9)).filter.mode
    'off'
    """
    if not isinstance(context, ResearchContext):
        context = UNCHANGED
    if context.preset:
        settings = with_preset(settings, context.preset)
    settings = with_readable_stages(settings, unreadable)
    if context == UNCHANGED:
        return settings
    limits = Limits(**{name: getattr(context, name) for name in values(Limits())})
    search = settings.search
    chunks, evidence = context.search_chunks, context.evidence_chunks
    return replace(
        settings,
        budget=limited(settings.budget, limits),
        retrieval=replace(
            settings.retrieval, mode=context.retrieval_mode or settings.retrieval.mode
        ),
        refinement=replace(
            settings.refinement, mode=context.refinement_mode or settings.refinement.mode
        ),
        filter=replace(settings.filter, mode=context.filter_mode or settings.filter.mode),
        prune=replace(settings.prune, mode=context.prune_mode or settings.prune.mode),
        search=replace(
            search,
            mode=context.search_mode or search.mode,
            max_chunks=chunks or search.max_chunks,
        ),
        verify=replace(settings.verify, profile=context.verify_profile or settings.verify.profile),
        evidence=replace(settings.evidence, max_chunks=evidence or settings.evidence.max_chunks),
    )
