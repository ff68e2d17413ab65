"""How alike a sentence and its quote are by their embeddings, beside the share of its words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from research_agent.core.claims import Claim, is_shown

LENIENT = 0.3
"""Share of its words from which on a sentence may be carried by a quote that is alike."""
ALIKE = 0.7
"""Similarity from which on it is. Both are chosen on few sentences: `docs/results.md`."""


def quoted(claim: Claim) -> str:
    """Return the words that carry a claim; empty where it has no quote.

    >>> quoted(Claim("The moon is cheese."))
    ''
    """
    return " ".join(dict.fromkeys(quote.quote for quote in claim.quotes))


def with_similarity(claims: Sequence[Claim], found: Mapping[str, float]) -> tuple[Claim, ...]:
    """Return claims with the similarities that were `found`, by the claims' texts.

    >>> with_similarity([Claim("It is so.")], {"It is so.": 0.5})[0].similarity
    0.5
    """
    return tuple(replace(claim, similarity=found.get(claim.text)) for claim in claims)


def with_alike(claims: Sequence[Claim], lenient: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return claims, and for unsupported ones those of `lenient` whose quote is alike.

    What a check of values, names, negation, conditions or relations found stays: a lenient claim
    has passed them all.

    >>> strict = [Claim("It rains a lot.", problem="the nearest words hold 40% of it")]
    >>> alike = Claim("It rains a lot.", ("c1",), verdict="supported", similarity=0.8)
    >>> [claim.verdict for claim in with_alike(strict, [alike])]
    ['supported']
    """
    better = {
        claim.text: claim
        for claim in lenient
        if is_shown(claim) and (claim.similarity or 0.0) >= ALIKE
    }
    return tuple(claim if is_shown(claim) else better.get(claim.text, claim) for claim in claims)
