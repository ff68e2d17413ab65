"""What earlier rounds tried, read and left open, as a planner model reads it.

A doubtful sentence or a missing part is shown with the passage that has most of its words, so
that the model can see what is proven already, and by which names the documents call things.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from research_agent.text.content_words import content_words
from research_agent.text.excerpts import cuts
from research_agent.text.quote_search import best_quotes
from research_agent.text.tables import head_of
from research_agent.types import Chunk, TraceEvent
from research_agent.types.evidence import Evidence, fenced, place, source_of
from research_agent.types.verification import Check

MOST_GAPS = 6
MOST_PASSAGES = 3
"""Passages that are shown where nothing was answered: those nearest to the question."""
PASSAGE_CHARS = 500
MOST_TOKENS = 700
"""Of all passages; a gap that has no room for one is listed without."""


@dataclass(frozen=True, slots=True)
class EarlierRounds:
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


def gaps_text(
    question: str, check: Check, evidence: Sequence[Evidence], count: Callable[[str], int]
) -> str:
    """Return what the answer lacks, each with what was read that is nearest to it."""
    lines: list[str] = []

    def add(passage: str) -> None:
        line = f"nearest passage read{passage or ': none'}"
        if count("\n".join((*lines, line))) <= MOST_TOKENS:
            lines.append(line)

    lacking = [("missing", part) for part in check.missing]
    lacking += [("doubtful", sentence) for sentence in check.doubts]
    if not lacking:
        lines.append("What was read does not answer the question.")
        for passage in _nearest(question, evidence)[:MOST_PASSAGES] or [""]:
            add(passage)
    for kind, text in lacking[:MOST_GAPS]:
        lines.append(_line(f"{kind}: {text}"))
        add(next(iter(_nearest(text, evidence)), ""))
    return "\n".join(lines)


def _nearest(text: str, evidence: Sequence[Evidence]) -> list[str]:
    found = [
        (quote.score, item.hit.chunk, quote.quote)
        for item in evidence
        for quote in best_quotes(text, item.hit.chunk)
    ]
    found.sort(key=lambda one: -one[0])
    return [f" ({_line(place(chunk))}): {_passage(chunk, words)}" for _, chunk, words in found]


def _passage(chunk: Chunk, words: str) -> str:
    whole = f"{head_of(chunk.text)} {words}" if chunk.kind == "table" else words
    line = " ".join(whole.split())
    (start, end), *_ = cuts(line, 0, len(line), PASSAGE_CHARS)
    return fenced(line[start:end])


def _line(text: str) -> str:
    return fenced(" ".join(text.split()))
