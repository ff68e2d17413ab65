"""What an answer still lacks, and what was read that is nearest to it, as a planner model reads it.

A doubtful sentence or a missing part is shown with the passage that holds most of its words, so
that the model can see what is proven already, and by which names the documents call things.
"""

from collections.abc import Callable, Sequence

from research_agent.text.quote_search import best_quotes
from research_agent.text.tables import head_of
from research_agent.text.text_cuts import cuts
from research_agent.types import Chunk
from research_agent.types.evidence import Evidence, fenced, place
from research_agent.types.verification import Check

MOST_GAPS = 6
MOST_PASSAGES = 3
"""Passages that are shown where nothing was answered: those nearest to the question."""
PASSAGE_CHARS = 500
MOST_TOKENS = 700
"""Of all passages; a gap without one still stands there."""


def gaps_text(
    question: str, check: Check, evidence: Sequence[Evidence], count: Callable[[str], int]
) -> str:
    """Return what the answer lacks, each with what was read that is nearest to it.

    >>> from research_agent.types import Hit
    >>> read = [Evidence("c1", Hit(Chunk("x", "guide", "Rye rests a night. It rains.")))]
    >>> check = Check("again", "unconfirmed", doubts=("Rye rests a week.",), missing=("the oven",))
    >>> print(gaps_text("How is rye baked?", check, read, len))
    missing: the oven
    nearest passage read: none
    doubtful: Rye rests a week.
    nearest passage read (guide): Rye rests a night.
    """
    lacking = [f"missing: {part}" for part in check.missing]
    lacking += [f"doubtful: {sentence}" for sentence in check.doubts]
    texts = (*check.missing, *check.doubts)
    lines: list[str] = []
    if not lacking:
        lines.append("What was read does not answer the question.")
        found = _nearest(question, evidence)[:MOST_PASSAGES] or [""]
        for passage in found:
            _add(lines, passage, count)
    for gap, text in zip(lacking[:MOST_GAPS], texts, strict=False):
        lines.append(_line(gap))
        _add(lines, next(iter(_nearest(text, evidence)), ""), count)
    return "\n".join(lines)


def _add(lines: list[str], passage: str, count: Callable[[str], int]) -> None:
    """Add a passage as far as there are tokens left for it."""
    line = f"nearest passage read{passage or ': none'}"
    if count("\n".join((*lines, line))) <= MOST_TOKENS:
        lines.append(line)


def _nearest(text: str, evidence: Sequence[Evidence]) -> list[str]:
    """Return the best passage of each chunk that shares a word with a text, the nearest first."""
    found = [
        (quote.score, item.hit.chunk, quote.quote)
        for item in evidence
        for quote in best_quotes(text, item.hit.chunk)
    ]
    found.sort(key=lambda one: -one[0])
    return [f" ({_line(place(chunk))}): {_passage(chunk, words)}" for _, chunk, words in found]


def _passage(chunk: Chunk, words: str) -> str:
    """Return a quote on one line; rows of a table behind its head."""
    whole = f"{head_of(chunk.text)} {words}" if chunk.kind == "table" else words
    line = " ".join(whole.split())
    (start, end), *_ = cuts(line, 0, len(line), PASSAGE_CHARS)
    return fenced(line[start:end])


def _line(text: str) -> str:
    return fenced(" ".join(text.split()))
