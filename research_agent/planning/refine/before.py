"""What the rounds before have tried, read and left open."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from research_agent.text.content_words import content_words
from research_agent.types import TraceEvent
from research_agent.types.evidence import Evidence, source_of
from research_agent.types.verification import Check


@dataclass(frozen=True, slots=True)
class Before:
    """What the rounds before have tried, read and left open; empty in the first round."""

    check: Check = field(default_factory=Check)
    evidence: Sequence[Evidence] = ()
    trace: Sequence[TraceEvent] = ()

    @property
    def again(self) -> bool:
        """Whether this is a later round."""
        return self.check.decision == "again"

    @property
    def tried(self) -> tuple[str, ...]:
        """The queries that were searched."""
        return tuple(dict.fromkeys(query for event in self.trace for query in event.queries))

    def known(self, question: str) -> frozenset[str] | None:
        """Return the words of the question and of what was read; None in the first round."""
        texts = (source_of(item.hit.chunk) for item in self.evidence)
        return content_words(" ".join((question, *texts))) if self.again else None
