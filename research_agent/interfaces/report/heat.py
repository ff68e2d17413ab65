"""The answer's tokens by how unsure the model was of each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.text.sentences import sentence_spans
from research_agent.types import Token
from research_agent.types.claims import MARKER, bare, plain, said_tokens
from research_agent.types.entropy import token_entropy
from research_agent.types.verification import Answer, Draft

LEVELS = (0.05, 0.3, 0.8, 1.5)
"""Nats from which a token has the next shade."""
MOST = 4000
"""Tokens of a heat map at most."""


@dataclass(frozen=True, slots=True)
class HeatToken:
    """A token of the answer; `entropy` (nats) is None where it is not scored."""

    text: str
    entropy: float | None = None
    level: int = 0
    """Shade, from 0."""
    probability: float = 1.0
    others: tuple[tuple[str, float], ...] = ()
    """The likeliest other tokens at its place, with their probabilities."""


def level(entropy: float) -> int:
    """Return the shade of an entropy in nats.

    >>> level(0.0), level(0.3), level(9.0)
    (0, 2, 4)
    """
    return sum(entropy >= limit for limit in LEVELS)


def heat(answer: Answer, draft: Draft) -> tuple[HeatToken, ...]:
    """Return the tokens of those sentences of `answer` that `draft` has; empty where unknown.

    What the answer says beside them is not repeated, and neither are its citation markers.
    """
    text = "".join(token.text for token in answer.tokens)
    if text != answer.text:
        return ()
    spans = [
        span for span in sentence_spans(text) if any(map(str.isalnum, bare(text[slice(*span)])))
    ]
    claims = {plain(claim.text) for claim in draft.claims}
    shown = [span for span in spans if plain(bare(text[slice(*span)])) in claims]
    said = {at for at, _ in said_tokens(answer.tokens)}
    markers = [match.span() for match in MARKER.finditer(text)]
    found, at = [], 0
    for token in answer.tokens:
        behind = at + len(token.text)
        marker = any(at < end and behind > start for start, end in markers)
        if not marker and any(start <= at < end for start, end in shown):
            found.append(_heated(token, scored=at in said))
        at = behind
    return tuple(found[:MOST])


def least_sure(tokens: Sequence[HeatToken], count: int = 10) -> tuple[HeatToken, ...]:
    """Return the tokens with the largest entropy, the largest first.

    >>> [token.text for token in least_sure([HeatToken("a", 0.1), HeatToken("b", 0.7)], 1)]
    ['b']
    """
    known = [token for token in tokens if token.entropy is not None]
    return tuple(sorted(known, key=lambda token: -(token.entropy or 0.0))[:count])


def _heated(token: Token, *, scored: bool) -> HeatToken:
    if not scored:
        return HeatToken(token.text)
    entropy = token_entropy(token.alternatives)
    others = tuple(
        (other.text, math.exp(min(other.logprob, 0.0)))
        for other in token.alternatives
        if other.text != token.text
    )
    probability = math.exp(min(token.logprob, 0.0))
    return HeatToken(token.text, entropy, level(entropy), probability, others[:3])
