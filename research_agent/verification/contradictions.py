"""Where the evidence has another number than a sentence: arithmetic and string identity alone."""

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
"""Share of the sentence's words that the statement, or the row with its head, has to hold."""
LEAST_WORDS = 3
LEAST_OTHERS = 2
"""Words of it beside the number's unit."""
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

    It holds at least half of the sentence's words, and two that do not follow the number as its
    unit does; it or its headings hold every identifier; and its number has the same neighbouring
    word or named column. Only a number that `facts` say stands nowhere in the evidence is
    contradicted.
    """
    missing = {fact.text for fact in facts if fact.is_missing_number}
    wanted = [word for word in wanted_words(sentence) if re.search(r"[^\W\d_]", word[0])]
    if not missing or len(wanted) < LEAST_WORDS:
        return None
    names = [fact.text for fact in facts if fact.kind == "identifier"]
    above, said, known = headings(chunk), plain(sentence), own_readings(sentence)
    after = {_neighbours(said, at, one.text)[1] for one, at in _placed(said) if one.text in missing}
    head = head_of(chunk.text) if chunk.kind == "table" else ""
    units = []
    for start, end in unit_spans(chunk):
        text = chunk.text[start:end]
        words = content_words(f"{head}\n{text}")
        held = [word[0] for word in wanted if is_held(word, words)]
        share = len(held) / len(wanted)
        is_near = share >= LEAST_HELD and sum(word not in after for word in held) >= LEAST_OTHERS
        if is_near and all(is_identified(name, f"{text}\n{above}") for name in names):
            units.append(Quote(share, chunk.text[start:end], start, end))
    best = max((unit.score for unit in units), default=0.0)
    for unit in units:
        if unit.score < best:
            continue
        for number in sorted(missing):
            found = in_place(said, number, unit.quote, chunk)
            if other := next((one.text for one in found if not one.stands_in(known)), ""):
                return Contradiction(number, other, unit)
    return None


def in_place(claim: str, number: str, unit: str, chunk: Chunk) -> list[Figure]:
    """Return the figures of a unit that stand where the claim has a number."""
    if chunk.kind == "table" and (row := cells(unit)):
        return _in_column(claim, row, cells(head_of(chunk.text).rpartition("\n")[2]))
    text = plain(unit)
    at = next((place for figure, place in _placed(claim) if figure.text == number), -1)
    if at < 0:
        return []
    sides = _neighbours(claim, at, number)
    found = []
    for figure, place in _placed(text):
        others = _neighbours(text, place, figure.text)
        if any(side and side == other for side, other in zip(sides, others, strict=True)):
            found.append(figure)
    return found


def _in_column(claim: str, row: Sequence[str], head: Sequence[str]) -> list[Figure]:
    words = content_words(claim)
    named = [
        cell
        for name, cell in zip(head[1:], row[1:], strict=False)
        if (asked := content_words(name)) and asked <= words
    ]
    return list(figures_in(plain(named[0]))) if len(named) == 1 else []


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
