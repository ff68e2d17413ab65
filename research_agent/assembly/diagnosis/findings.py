"""One line of a diagnosis."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from research_agent.errors import ResearchAgentError

Level = Literal["ok", "note", "warning", "fault"]
"""All is well; good to know; works, but not as it should; something cannot work."""
MB = 1e6


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, and what to do."""

    level: Level
    part: str
    """What it is about: one word."""
    what: str
    cure: str = ""
    """The command that cures it, or what to do; never empty for a warning or a fault."""


def is_sound(found: Iterable[Finding]) -> bool:
    """Return whether nothing is at fault."""
    return all(finding.level != "fault" for finding in found)


def fault_of(part: str, error: ResearchAgentError, otherwise: str, *, of: str = "") -> Finding:
    """Return an error of ours as a fault; its hint is the cure, else `otherwise`."""
    return Finding("fault", part, f"{of}: {error}" if of else str(error), error.hint or otherwise)
