"""The ways of searching that are compared on questions that need several documents."""

from dataclasses import dataclass, replace
from typing import Any

from research_agent.config import PREFIX, load_settings
from research_agent.errors import ConfigError
from research_agent.settings import Settings


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of searching: settings that differ from those of another arm in one thing."""

    name: str
    settings: Settings
    against: str = ""
    """The arm it is compared with; empty: none."""


def changed(settings: Settings, **sections: dict[str, Any]) -> Settings:
    """Return settings with some keys of some sections changed.

    >>> changed(Settings(), search={"max_chunks": 3}).search.max_chunks
    3
    """
    whole = {name: replace(getattr(settings, name), **keys) for name, keys in sections.items()}
    return replace(settings, **whole)


def tried(text: str) -> Arm:
    """Return an arm made of keys and values, to be compared with the default search.

    Values are read as in a configuration; what is not named is as there. Raises
    ConfigError.

    >>> tried("search.max_chunks=3,retrieval.question_kinds=off").settings.search.max_chunks
    3
    """
    pairs = [part.partition("=") for part in text.split(",")]
    named = {key.strip().upper().replace(".", "__"): value for key, _, value in pairs}
    if any("__" not in key for key in named):
        raise ConfigError(f"no settings: {text!r}", hint="Such as: retrieval.top_k=20")
    given = {"REFINEMENT__MODE": "off"} | named
    settings = load_settings(None, {f"{PREFIX}{key}": value for key, value in given.items()})
    return Arm(text, settings, "not refined")


PLAIN = changed(Settings(), refinement={"mode": "off"})
"""The default search with the question as it stands: what refinement must not lose anything to."""
ASKING = changed(Settings(), confidence={"bypass": 1.01})
"""The planner model is asked for every question, however well its words find something."""
ARMS = (
    Arm("words", changed(PLAIN, retrieval={"mode": "lexical"})),
    Arm("vectors", changed(PLAIN, retrieval={"mode": "dense"})),
    Arm("no kinds", changed(PLAIN, retrieval={"question_kinds": "off"}), "words"),
    Arm("not refined", PLAIN, "no kinds"),
    Arm("parts by rules", changed(Settings(), refinement={"mode": "pure"}), "not refined"),
    Arm("parts by the model, hops", ASKING, "not refined"),
    Arm("default", Settings(), "not refined"),
)
MODES = (
    Arm("planned", changed(Settings(), search={"mode": "planned"})),
    Arm("tool_calling", changed(Settings(), search={"mode": "tool_calling"}), "planned"),
    Arm("auto", changed(Settings(), search={"mode": "auto"}), "planned"),
)
"""Who writes the calls of a search: rules, the planner model, or the model where it proves able to.
A model that is tried once for all counts its trial at one question."""
