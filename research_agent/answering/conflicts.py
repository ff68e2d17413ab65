"""Where another document gives another value in a row or sentence that says the same."""

from collections.abc import Iterator, Sequence

from research_agent.text.content_words import content_words
from research_agent.text.quote_search import unit_spans
from research_agent.text.tables import head_of
from research_agent.types.claims import Claim, is_supported
from research_agent.types.evidence import Evidence
from research_agent.types.result import Conflict

ALIKE = 0.8
"""Share of the words, numbers apart, that two rows or sentences have in common."""
LEAST_WORDS = 3
"""Words besides the numbers that both have."""


def conflicts_of(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Return what other documents of the evidence say otherwise, each document once a claim.

    A row or sentence is said otherwise by one of another document that has nearly the same words
    and the same number of values, of which exactly one differs; rows also need the same head. The
    sentence of the answer has to say the value.
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
    for start, end in unit_spans(there):
        said = there.text[start:end]
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


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = content_words(text)
    numbers = frozenset(w for w in words if w[0].isdigit() and not any(map(str.isalpha, w)))
    return words - numbers, numbers
