"""A sentence of which no quote carries the whole, but quotes of several places carry the parts."""

from collections.abc import Mapping, Sequence
from functools import partial

from research_agent.core.claim_checks.cells import in_another_cell
from research_agent.core.claim_checks.reading import read
from research_agent.core.judging import judged
from research_agent.core.sentence_parts import parts_of
from research_agent.core.support import (
    Support,
    best_of,
    is_named,
    names,
    supports,
)
from research_agent.core.tables import head_of
from research_agent.core.types import Chunk

NEAR = 3
"""Characters between two quotes that stand beside each other."""
Part = tuple[str, Support]
"""The key of a chunk, and its quote."""


def stitched(
    sentence: str,
    chunks: Mapping[str, Chunk],
    written: Sequence[str],
    *,
    min_support: float,
    asked: str = "",
) -> tuple[Part, ...]:
    """Return the quotes that carry the parts of a sentence; empty where a part has none.

    Keys that are `written` under the sentence come before others. A part without a name of its
    own is about what the sentence names first, so its chunk has to name that too.

    >>> chunks = {
    ...     "c1": Chunk("a", "guide", "Bread is baked daily."),
    ...     "c2": Chunk("b", "guide", "Cakes are sold on Sunday."),
    ... }
    >>> found = stitched(
    ...     "Bread is baked daily and cakes are sold on Sunday.", chunks, (), min_support=0.5
    ... )
    >>> [(key, quote.quote) for key, quote in found]
    [('c1', 'Bread is baked daily.'), ('c2', 'Cakes are sold on Sunday.')]
    """
    for parts in parts_of(sentence):
        found: list[Part] = []
        for part in parts:
            judge = partial(judged, part, min_support=min_support, asked=asked)
            offered = [(key, judge(chunk)) for key, chunk in chunks.items()]
            carrying = [item for item in offered if supports(item[1], min_support=min_support)]
            carried = _carried(part, parts[0], found, chunks, written, carrying)
            if carried is None or _denies(sentence, part, chunks[carried[0]]):
                break
            found.append(carried)
        if len(found) == len(parts):
            return tuple(dict.fromkeys(found))
    return ()


def _carried(
    part: str,
    first: str,
    before: Sequence[Part],
    chunks: Mapping[str, Chunk],
    written: Sequence[str],
    carrying: Sequence[Part],
) -> Part | None:
    """Return the best of the quotes `carrying` a part that is about what the sentence is."""
    subject = frozenset() if names(part) else frozenset(sorted(names(first), key=first.find)[:1])
    told = [item for item in carrying if _is_about(subject, item, before, chunks[item[0]])]
    own = [item for item in told if item[0] in written]
    return best_of(own or told) if told else None


def _denies(sentence: str, part: str, chunk: Chunk) -> bool:
    """Return whether a table has another value where the whole sentence says that of a part."""
    if chunk.kind != "table":
        return False
    values = frozenset(word.value for word in read(part).words if word.value)
    return bool(in_another_cell(read(sentence), chunk.text, among=values))


def _is_about(subject: frozenset[str], part: Part, before: Sequence[Part], chunk: Chunk) -> bool:
    """Return whether a quote names a subject, or stands beside the quote of the part before it.

    What a chunk says elsewhere may be about something else.
    """
    key, quote = part
    above = " ".join((chunk.doc_id, chunk.title, *chunk.section, head_of(chunk.text)))
    if _names(subject, quote.quote, above):
        return True
    if chunk.kind == "table":
        return False
    return any(
        other == key and _gap(quote, last) <= NEAR and _names(subject, last.quote, above)
        for other, last in before
    )


def _names(subject: frozenset[str], quote: str, above: str) -> bool:
    return all(is_named(name, f"{above} {quote}") for name in subject)


def _gap(one: Support, other: Support) -> int:
    return max(one.start - other.end, other.start - one.end, 0)
