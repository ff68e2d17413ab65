"""One row for each fault and each call that may meet it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.faults.good import Place
from research_agent.model_settings import ModelSettings

NamedBy = Literal["warning", "uncertainty", "nothing"]
PLACES: tuple[Place, ...] = ("all", "planner", "answer", "verifier")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a row is run with."""

    seconds: float
    """`budget.seconds`."""
    timeout: float
    """`models.timeout`."""
    folder: Path
    """An empty folder of the row's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fault, and which calls meet it."""

    provider: Literal["openai", "bedrock", "set-up", "embedded"]
    fault: str
    place: Place = "all"
    opened: Callable[[Terms], AbstractContextManager[ModelSettings]]
    """Sets the fault up and gives the settings with which it is met."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the program is told beside RESEARCH_AGENT_CACHE."""
    alone: bool = False
    """The fault is one of the whole process: no other row runs beside it."""
    named_by: NamedBy = "warning"
    """Where an answer says what happened; some faults take nothing from it."""

    @property
    def name(self) -> str:
        """Return what tells the row from the others."""
        return f"{self.provider}: {self.fault} ({self.place})"


def rows() -> tuple[Row, ...]:
    """Return all rows that need no model."""
    from benchmarks.faults import bedrock_rows, openai_rows, setup_rows

    return (*openai_rows.rows(), *bedrock_rows.rows(), *setup_rows.rows())


def model_rows() -> tuple[Row, ...]:
    """Return the rows that ask the embedded model."""
    from benchmarks.faults import embedded_rows

    return embedded_rows.rows()
