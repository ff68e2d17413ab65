"""What Studio's forms ask for: the numbers and modes of a run, and which index and models it uses.

LangGraph's server hands the same values to the factory of a graph and to its runs.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field

from graphs.context import ResearchContext
from research_agent.model_settings import Provider

KEYS = {
    "chat_provider": "RESEARCH_AGENT_MODELS__CHAT__PROVIDER",
    "chat_model": "RESEARCH_AGENT_MODELS__CHAT__MODEL",
}
"""The settings that the form changes, as variables of the environment."""


class StudioContext(ResearchContext):
    """One run in Studio; what is left empty stays as it is configured."""

    model_config = ConfigDict(extra="ignore", frozen=True)  # (the server adds names of its own)

    index: str = Field(
        "default",
        min_length=1,
        max_length=500,
        description="Which index: a name, or a folder (with a slash in it).",
    )
    chat_provider: Provider | None = Field(
        None, description="Whose model writes and decides. Empty: as configured."
    )
    chat_model: str | None = Field(
        None, max_length=200, description="That model's name. Empty: as configured."
    )

    @property
    def choice(self) -> "tuple[str, tuple[tuple[str, str], ...]]":
        """What a graph is built for: the index, and what differs from the environment."""
        given = ((key, getattr(self, name)) for name, key in KEYS.items())
        return self.index, tuple((key, str(value)) for key, value in given if value)


def of_config(config: Mapping[str, Any]) -> StudioContext:
    """Return what a factory is given; raises pydantic's ValidationError."""
    configurable = config.get("configurable") or {}
    known = {key: configurable[key] for key in StudioContext.model_fields if key in configurable}
    return StudioContext.model_validate(known)
