"""How much surer a chunk makes a model: normalized uncertainty, and the gain in it.

Source: "Information Gain Pruning", arXiv 2601.17532. NU(q) is the mean normalised entropy of the
tokens of a short answer to the question q, NU(q|d) the same with a chunk d in the prompt, and the
information gain of d is NU(q) - NU(q|d). Both answers have the same limit of tokens, and the
number of tokens is kept beside each value: means over few tokens say little.
"""

from dataclasses import dataclass
from typing import Literal

from research_agent.text.missing_parts import read_missing
from research_agent.types import Completion, Token
from research_agent.types.claims import said_tokens
from research_agent.types.entropy import (
    mean_entropy,
    mean_of_most_uncertain,
    normalized_entropy,
    normalized_uncertainty,
    token_entropy,
)

Unmeasured = Literal["", "no log-probabilities", "nothing to score", "failed", "not paid"]
"""Why there is no value; empty where there is one.

"no log-probabilities": the server gave none, or they do not make up the text. "nothing to score":
the reply is empty, or no token with a letter or digit has alternatives. "failed": the call failed.
"not paid": the call was not made, for a budget's sake.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """How unsure a model was of one short answer. Without a value `missing` says why."""

    nu: float | None = None
    """Mean of the tokens' normalised entropies, 0 (sure) to 1."""
    mean_entropy: float | None = None
    """Nats a token."""
    most_uncertain: float | None = None
    """Nats, the mean over the most uncertain fifth of the tokens."""
    token_count: int = 0
    """Tokens scored."""
    text: str = ""
    """What the model wrote: a guess, checked by nobody."""
    refused: bool = False
    """The model wrote that it does not know: it may be very sure of that."""
    tokens: tuple[Token, ...] = ()
    missing: Unmeasured = ""


def measured(reply: Completion) -> Measured:
    """Return how unsure the model was of `reply`; a result in any case.

    >>> from research_agent.types import Alternative, ModelCall
    >>> even = tuple(Alternative(word, -1.0986122886681098) for word in ("230", "200", "180"))
    >>> found = measured(Completion("230", ModelCall("answer"), tokens=(Token("230", -1.1, even),)))
    >>> round(found.nu, 3), round(found.mean_entropy, 3), found.token_count
    (1.0, 1.099, 1)
    >>> measured(Completion("230", ModelCall("answer"))).missing
    'no log-probabilities'
    """
    text = reply.text.strip()
    aligned = "".join(token.text for token in reply.tokens).strip() == text
    said = [token for _, token in said_tokens(reply.tokens)] if aligned or not text else []
    if not said:
        none = bool(text) and not (reply.tokens and aligned)
        missing: Unmeasured = "no log-probabilities" if none else "nothing to score"
        return Measured(
            text=text, refused=read_missing(text).is_refusal, tokens=reply.tokens, missing=missing
        )
    entropies = [token_entropy(token.alternatives) for token in said]
    return Measured(
        nu=normalized_uncertainty(said),
        mean_entropy=mean_entropy(said),
        most_uncertain=mean_of_most_uncertain(entropies),
        token_count=len(said),
        text=text,
        refused=read_missing(text).is_refusal,
        tokens=reply.tokens,
    )


def gain(without: Measured, given: Measured) -> float | None:
    """Return how much surer a chunk makes the model, -1 to 1; None where it is not known.

    Positive: it informs. Near 0: it says nothing new. Negative: it distracts.

    >>> round(gain(Measured(nu=0.40), Measured(nu=0.15)), 2)
    0.25
    >>> gain(Measured(nu=0.40), Measured(missing="failed")) is None
    True
    """
    if without.nu is None or given.nu is None:
        return None
    return without.nu - given.nu


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as `research-agent diagnose` shows it."""

    text: str
    logprob: float
    entropy: float | None
    """Nats; None where the token is not scored."""
    normalized: float | None
    alternatives: tuple[tuple[str, float], ...]
    """The likeliest tokens at its place, with their log-probabilities."""


def token_rows(tokens: tuple[Token, ...]) -> tuple[TokenRow, ...]:
    """Return every token of a reply with its entropy, markers and punctuation without one."""
    scored = {at for at, _ in said_tokens(tokens)}
    rows, at = list[TokenRow](), 0
    for token in tokens:
        said = at in scored and bool(token.text)
        rows.append(
            TokenRow(
                token.text,
                token.logprob,
                token_entropy(token.alternatives) if said else None,
                normalized_entropy(token) if said else None,
                tuple((other.text, other.logprob) for other in token.alternatives),
            )
        )
        at += len(token.text)
    return tuple(rows)
