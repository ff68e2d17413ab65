"""Where evidence has another number in the place of a sentence's number."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.text.content_words import content_words, is_held, wanted_words
from research_agent.text.figures import Figure, figures_in, plain
from research_agent.text.hard_facts import Fact, is_identified, own_readings
from research_agent.text.quote_search import Quote, headings, unit_spans
from research_agent.text.tables import cells, head_of
from research_agent.types import Chunk

LEAST_HELD = 0.5
"""Share of the sentence's other words that the statement or row has to hold."""
LEAST_WORDS = 3
"""Other words that a sentence has to have."""
_NEXT = re.compile(r"[\s-]*([^\W\d_]+|[^\w\s.,;:)])")
_LAST = re.compile(r"([^\W\d_]+)[\s(-]*$")
_STEM = 5


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A number of a sentence, and the number that the evidence has in its place."""

    said: str
    found: str
    quote: Quote
    """The statement or row that has the other number."""


def contradicted(sentence: str, chunk: Chunk, facts: Sequence[Fact]) -> Contradiction | None:
    """Return the statement or row of a chunk that has another number in the sentence's place.

    It holds every identifier of the sentence and half of its other words or more, none of its
    neighbours holds more, and its number has the same word before or after it, or stands in a
    column that the sentence names. `facts` are the sentence's, compared
    with all evidence: only a number that stands nowhere in it is contradicted.
    """
    missing = {f.text for f in facts if f.kind == "number" and f.status == "missing"}
    wanted = [word for word in wanted_words(sentence) if re.search(r"[^\W\d_]", word[0])]
    if not missing or len(wanted) < LEAST_WORDS:
        return None
    names = [fact.text for fact in facts if fact.kind == "identifier"]
    above, said, known = headings(chunk), plain(sentence), own_readings(sentence)
    units = []
    for start, end in unit_spans(chunk):
        text = f"{chunk.text[start:end]}\n{above}"
        words = content_words(text)
        share = sum(is_held(word, words) for word in wanted) / len(wanted)
        if share >= LEAST_HELD and all(is_identified(name, text) for name in names):
            units.append(Quote(share, chunk.text[start:end], start, end))
    best = max((unit.score for unit in units), default=0.0)
    for unit in units:
        if unit.score < best:
            continue
        for number in sorted(missing):
            if found := _in_place(said, number, unit.quote, chunk, known):
                return Contradiction(number, found, unit)
    return None


def _in_place(said: str, number: str, unit: str, chunk: Chunk, known: frozenset[str]) -> str:
    if chunk.kind == "table" and (row := cells(unit)):
        return _in_column(said, row, cells(head_of(chunk.text).rpartition("\n")[2]), known)
    text = plain(unit)
    at = next((place for figure, place in _placed(said) if figure.text == number), -1)
    if at < 0:
        return ""
    before, after = _neighbours(said, at, number)
    for figure, place in _placed(text):
        if figure.readings & known:
            continue
        left, right = _neighbours(text, place, figure.text)
        if (after and after == right) or (before and before == left):
            return figure.text
    return ""


def _in_column(said: str, row: Sequence[str], head: Sequence[str], known: frozenset[str]) -> str:
    words = content_words(said)
    named = [
        cell
        for name, cell in zip(head[1:], row[1:], strict=False)
        if (asked := content_words(name)) and asked <= words
    ]
    if len(named) != 1:
        return ""
    figures = figures_in(plain(named[0]))
    return next((one.text for one in figures if not one.readings & known), "")


def _placed(text: str) -> list[tuple[Figure, int]]:
    placed, start = [], 0
    for figure in figures_in(text):
        start = text.index(figure.text, start)
        placed.append((figure, start))
        start += len(figure.text)
    return placed


def _neighbours(text: str, at: int, number: str) -> tuple[str, str]:
    before = _LAST.search(text[max(at - 40, 0) : at].casefold())
    after = _NEXT.match(text[at + len(number) : at + len(number) + 40].casefold())
    return before[1][:_STEM] if before else "", after[1][:_STEM] if after else ""
