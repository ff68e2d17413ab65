"""What every step works with."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.metering import Meter, remaining, spare
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.types import TraceEvent
from research_agent.types.budget import Allowance


@dataclass(frozen=True)
class StepContext:
    """Ports, settings and prompts of one run, and the meter of one step's model calls."""

    ports: Ports
    settings: Settings
    prompts: Prompts
    meter: Meter


@dataclass(frozen=True)
class RunContext:
    """What a graph binds to its nodes; each node makes the `StepContext` of its run from it."""

    ports: Ports
    settings: Settings
    prompts: Prompts

    def within(self, allowance: Allowance) -> StepContext:
        """Return the context of a step that may spend `allowance`; its seconds count from now."""
        meter = Meter(allowance, tokenizer=self.ports.tokenizer, clock=self.ports.clock)
        return StepContext(self.ports, self.settings, self.prompts, meter)

    def with_all_left(self, trace: Sequence[TraceEvent]) -> StepContext:
        """Return the context of a step that may spend all that the question has left."""
        return self.within(remaining(self.settings, trace))

    def keeping_answer_reserve(self, trace: Sequence[TraceEvent]) -> StepContext:
        """Return the context of a step that leaves enough for the answer and its check."""
        return self.within(spare(self.settings, trace))
