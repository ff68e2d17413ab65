"""How unsure the model was of each token of an answer."""

from dataclasses import dataclass

from research_agent.text.sentences import sentence_spans
from research_agent.types.claims import MARKER, bare, plain, said_tokens
from research_agent.types.entropy import token_entropy
from research_agent.types.verification import Answer, Draft

LEVELS = (0.05, 0.3, 0.8, 1.5)
"""Nats from which a token has the next shade."""
MOST_TOKENS = 4000
"""Tokens of the heat map."""


@dataclass(frozen=True, slots=True)
class HeatToken:
    """A token of the answer; `entropy` (nats) is None where it is not scored."""

    text: str
    entropy: float | None = None
    level: int = 0
    """Shade, from 0."""


def heat(answer: Answer, draft: Draft) -> tuple[HeatToken, ...]:
    """Return the tokens of those sentences of `answer` that `draft` has, without markers."""
    text = "".join(token.text for token in answer.tokens)
    if text != answer.text:
        return ()
    claims = {plain(claim.text) for claim in draft.claims}
    spans = [span for span in sentence_spans(text) if plain(bare(text[slice(*span)])) in claims]
    said = {at for at, _ in said_tokens(answer.tokens)}
    markers = [match.span() for match in MARKER.finditer(text)]
    found, at = list[HeatToken](), 0
    for token in answer.tokens:
        behind = at + len(token.text)
        marker = any(at < end and behind > start for start, end in markers)
        if not marker and any(at < end and behind > start for start, end in spans):
            entropy = token_entropy(token.alternatives) if at in said else None
            level = sum((entropy or 0.0) >= limit for limit in LEVELS)
            found.append(HeatToken(token.text, entropy, level))
        at = behind
    return tuple(found[:MOST_TOKENS])
