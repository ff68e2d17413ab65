"""What a turn of the search's loop begins with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.types import Hit
from research_agent.types.calls import CallResult, ToolCall
from research_agent.types.evidence import Evidence
from research_agent.types.multi_hop import waiting
from research_agent.types.refinement import Refinement

TOOL = "search_chunks_tool"


def searches(call: ToolCall) -> bool:
    """Return whether a call runs the search."""
    return call.runs and call.name == TOOL


@dataclass(frozen=True, slots=True)
class Before:
    """What is known before a search begins; `read` and `missing` are of the rounds before."""

    probed: Sequence[Hit] = ()
    """What the round's first search found."""
    read: Sequence[Evidence] = ()
    missing: Sequence[str] = ()
    """What was not found, and sentences that could not be confirmed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn of the loop begins with."""

    question: str
    refinement: Refinement
    results: Sequence[CallResult]
    before: Before
    number: int
    """Counted from 1."""
    last: bool
    """No turn can follow."""

    @property
    def searched(self) -> bool:
        """Whether anything was searched before."""
        return any(searches(result.call) for result in self.results)

    @property
    def read(self) -> tuple[Hit, ...]:
        """The passages of the rounds before."""
        return tuple(item.hit for item in self.before.read)

    @property
    def found(self) -> Mapping[int, CallResult]:
        """What the refinement's queries have found, by their number."""
        return {r.call.part: r for r in self.results if r.call.part >= 0}

    @property
    def open_parts(self) -> tuple[int, ...]:
        """The queries that wait for what others have found, and can be searched now."""
        return waiting(self.refinement.queries, tuple(self.found))
