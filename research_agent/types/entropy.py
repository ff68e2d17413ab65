"""How unsure a model was at each token, from the log-probabilities an API gives.

They are natural logarithms. Values that are none (not a number, infinite, above zero by more than
rounding) are left out; their probability counts as the rest of the vocabulary. Logarithms to
another base cannot be told from natural ones: bits give too low values.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import fmean

from research_agent.types import Alternative, Completion, Token

ROUNDING = 1e-3
"""A log-probability above zero by no more than this is zero."""
LEAST_REST = 1e-9
"""With less probability the rest of the vocabulary is no outcome."""


def token_entropy(alternatives: Sequence[Alternative]) -> float:
    """Return the entropy, in nats, of one token's choices.

    The choices are the alternatives an API shows and one for the rest of the vocabulary, with the
    remaining probability: a lower bound of the true entropy. Probabilities that sum to more than
    one are scaled down. Without alternatives the value is 0; such tokens are not `scored`.

    >>> round(token_entropy([Alternative("a", math.log(0.5)), Alternative("b", math.log(0.5))]), 4)
    0.6931
    """
    return _measured(tuple(alternatives))[0]


def normalized_entropy(token: Token) -> float:
    """Return the entropy of `token` divided by the largest it could be, ln(outcomes), 0 to 1.

    The rest of the vocabulary is an outcome where it has a probability; there are at least two.

    >>> shown = tuple(Alternative(str(p), p) for p in (-0.10, -0.50, -1.20))
    >>> round(normalized_entropy(Token("x", -0.1, shown)), 3)
    0.921
    """
    entropy, outcomes = _measured(tuple(token.alternatives))
    return min(1.0, entropy / math.log(max(2, outcomes)))


def mean_entropy(tokens: Iterable[Token]) -> float | None:
    """Return the mean entropy in nats, None without tokens."""
    values = [token_entropy(token.alternatives) for token in tokens]
    return fmean(values) if values else None


def normalized_uncertainty(tokens: Iterable[Token]) -> float | None:
    """Return NU, the mean of H / ln(outcomes) over `tokens`, 0 to 1; None without tokens.

    Source: arXiv 2601.17532, NU = mean H / ln K, with the divisor corrected.
    """
    values = [normalized_entropy(token) for token in tokens]
    return fmean(values) if values else None


def mean_of_most_uncertain(values: Sequence[float]) -> float | None:
    """Return the mean of the largest fifth of `values`, at least one of them; None of none."""
    count = max(1, len(values) // 5)
    return fmean(sorted(values, reverse=True)[:count]) if values else None


def scored(token: Token) -> bool:
    """Return whether a token has a letter or digit, and alternatives; control tokens have not."""
    text = token.text.strip()
    control = text.startswith("<|") and text.endswith("|>")
    return not control and any(map(str.isalnum, text)) and bool(_shown(token.alternatives))


def yes_or_no(reply: Completion) -> float | None:
    """Return P(yes) of a yes/no reply, P(yes) / (P(yes) + P(no)) of its first token.

    Without log-probabilities the word alone counts. None where the reply said neither.

    >>> from research_agent.types import ModelCall
    >>> yes_or_no(Completion("No.", ModelCall("verifier")))
    0.0
    """
    first = next((token for token in reply.tokens if token.text.strip()), None)
    first = first or next(iter(reply.tokens), None)
    if not first:
        return {"yes": 1.0, "no": 0.0}.get(reply.text.strip(" .!").lower())
    probabilities = {"yes": 0.0, "no": 0.0}
    for item in first.alternatives or (Alternative(first.text, first.logprob),):
        word, p = item.text.strip(" \n\t.,!*\"'").lower(), probability(item.logprob)
        if word in probabilities and p is not None:
            probabilities[word] += p
    both = probabilities["yes"] + probabilities["no"]
    return probabilities["yes"] / both if both else None


def probability(logprob: float) -> float | None:
    """Return the probability of a log-probability, None for what is none."""
    return math.exp(min(logprob, 0.0)) if logprob <= ROUNDING else None


@lru_cache(maxsize=4096)
def _measured(alternatives: tuple[Alternative, ...]) -> tuple[float, int]:
    """Return the entropy of one token's choices and how many there are; 0 where none is known.

    The result is kept: an answer's tokens are measured for each sentence and for the whole.
    """
    shown = _shown(alternatives)
    total = math.fsum(shown)
    if total <= 0.0:
        return 0.0, 0
    choices = [p / total for p in shown] if total >= 1.0 - LEAST_REST else [*shown, 1.0 - total]
    return max(0.0, -math.fsum([p * math.log(p) for p in choices])), len(choices)


@lru_cache(maxsize=1024)
def _shown(alternatives: tuple[Alternative, ...]) -> tuple[float, ...]:
    """Return the probabilities of the alternatives that have one.

    Some servers list the sampled token twice, with the same text and value: it counts once. Parts
    of characters (U+FFFD) look alike and are different tokens.
    """
    seen, found = set[Alternative](), list[float]()
    for item in alternatives:
        p = probability(item.logprob)
        whole = bool(item.text) and "\ufffd" not in item.text
        if p is not None and p > 0.0 and not (whole and item in seen):
            seen.add(item)
            found.append(p)
    return tuple(found)
