"""Where another document gives another value in a row or sentence that says the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_agent.text.content_words import content_words
from research_agent.text.quote_search import unit_spans
from research_agent.text.tables import head_of
from research_agent.types import Chunk
from research_agent.types.claims import Claim, is_supported
from research_agent.types.evidence import Evidence

ALIKE = 0.8
"""Share of the words, numbers apart, that two rows or sentences have in common."""
LEAST_WORDS = 3
"""Words besides the numbers that both have."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two documents with different values of one thing."""

    claim: str
    """The sentence of the answer."""
    value: str
    key: str
    """The evidence that the sentence cites."""
    doc_id: str
    date: str
    """Of the document, ISO 8601; empty where it has none."""
    other_value: str
    other_key: str
    other_doc_id: str
    other_date: str
    other_quote: str
    """The words of the other document that give the other value."""


def conflicts_of(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Return what other documents of the evidence say otherwise, each document once a claim.

    A row or sentence is said otherwise by one of another document that has nearly the same words
    and the same number of values, of which exactly one differs; rows also need the same head. The
    value has to stand in the answer's sentence.

    >>> from research_agent.text.quote_search import Quote
    >>> from research_agent.types import Hit
    >>> old = Chunk("a", "rules 2023", "Each clerk gets 25 days of paid leave.", date="2023")
    >>> new = Chunk("b", "rules 2024", "Each clerk gets 30 days of paid leave.", date="2024")
    >>> said = Claim(old.text, ("c1",), (Quote(1.0, old.text, 0, 38),), "supported")
    >>> found = conflicts_of([said], [Evidence("c1", Hit(old)), Evidence("c2", Hit(new))])
    >>> [(one.value, one.date, one.other_value, one.other_date) for one in found]
    [('25', '2023', '30', '2024')]
    """
    found: dict[tuple[str, str], Conflict] = {}
    cited = {item.key: item for item in evidence}
    for claim in filter(is_supported, claims):
        for key, quote in zip(claim.keys, claim.quotes, strict=True):
            for other in evidence:
                if other.hit.chunk.doc_id == cited[key].hit.chunk.doc_id:
                    continue
                for conflict in _between(claim, cited[key], quote.quote, other):
                    found.setdefault((claim.text, conflict.other_doc_id), conflict)
    return tuple(found.values())


def _between(claim: Claim, own: Evidence, quote: str, other: Evidence) -> Iterator[Conflict]:
    here, there = own.hit.chunk, other.hit.chunk
    mine = _parts(quote)
    stated = _parts(claim.text)[1]
    if len(mine[0]) < LEAST_WORDS or not mine[1] or here.kind != there.kind:
        return
    if here.kind == "table" and content_words(head_of(here.text)) != content_words(
        head_of(there.text)
    ):
        return
    for said in _said(there):
        theirs = _parts(said)
        alike = len(mine[0] & theirs[0]) >= ALIKE * len(mine[0] | theirs[0])
        gone, new = mine[1] - theirs[1], theirs[1] - mine[1]
        if alike and len(gone) == len(new) == 1 and gone <= stated:
            yield Conflict(
                claim=claim.text,
                value=next(iter(gone)),
                key=own.key,
                doc_id=here.doc_id,
                date=here.date,
                other_value=next(iter(new)),
                other_key=other.key,
                other_doc_id=there.doc_id,
                other_date=there.date,
                other_quote=" ".join(said.split()),
            )


def _said(chunk: Chunk) -> Iterator[str]:
    yield from (chunk.text[start:end] for start, end in unit_spans(chunk))


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a text without a letter's company, and its numbers."""
    words = content_words(text)
    numbers = frozenset(word for word in words if word[0].isdigit() and not word.isalpha())
    numbers = frozenset(word for word in numbers if not any(map(str.isalpha, word)))
    return words - numbers, numbers
