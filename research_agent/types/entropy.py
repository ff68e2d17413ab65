"""How unsure a model was at each token, from the log-probabilities an API gives.

They are natural logarithms. Values that are none (not a number, infinite, above zero by more than
rounding) are left out, and what they stood for is part of the rest of the vocabulary. Logarithms
to another base cannot be told from natural ones: of a server that gives bits all values are too
low, and entropies of clear choices too high.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

from research_agent.types import Alternative, Completion, Token

ROUNDING = 1e-3
"""A log-probability so little above zero is zero."""
LEAST_REST = 1e-9
"""With less probability the rest of the vocabulary is no outcome."""


def token_entropy(alternatives: Sequence[Alternative]) -> float:
    """Return the entropy, in nats, of one token's choices.

    The choices are the alternatives an API shows and one more for the rest of the vocabulary,
    with the probability that is left: a lower bound of the true entropy. A sampled token that is
    not among the alternatives is in that rest. Log-probabilities that sum to more than one are
    scaled down to one. Without alternatives nothing is known; such tokens are not scored
    (`scored`), and the value is 0.

    >>> round(token_entropy([Alternative("a", math.log(0.5)), Alternative("b", math.log(0.5))]), 4)
    0.6931
    >>> half = [Alternative("a", math.log(0.5))]
    >>> round(token_entropy(half), 4)  # the rest bucket holds the other half
    0.6931
    """
    return max(0.0, -math.fsum(p * math.log(p) for p in _choices(alternatives)))


def outcomes(token: Token) -> int:
    """Return how many choices the entropy of `token` is taken over, the rest bucket included.

    The rest is an outcome where it has a probability. There are two at least: of one choice the
    entropy is 0 whatever it is divided by.

    >>> outcomes(Token("a", -0.1, (Alternative("a", -0.1), Alternative("b", -2.5))))
    3
    >>> outcomes(Token("a", 0.0, (Alternative("a", 0.0),)))
    2
    """
    return max(2, len(_choices(token.alternatives)))


def normalized_entropy(token: Token) -> float:
    """Return the entropy of `token` divided by the largest it could be, 0 to 1.

    The divisor is ln(outcomes), not ln(alternatives): the rest is a choice too. Seed system 1's
    example [-0.10, -0.50, -1.20] sums to more than one and has no rest: 1.0114 nats of ln 3.

    >>> shown = tuple(Alternative(str(p), p) for p in (-0.10, -0.50, -1.20))
    >>> round(token_entropy(shown), 4), round(normalized_entropy(Token("x", -0.1, shown)), 3)
    (1.0114, 0.921)
    >>> even = tuple(Alternative(str(i), math.log(0.2)) for i in range(5))
    >>> round(normalized_entropy(Token("x", -1.6, even)), 3)
    1.0
    """
    return min(1.0, token_entropy(token.alternatives) / math.log(outcomes(token)))


def mean_entropy(tokens: Iterable[Token]) -> float | None:
    """Return the mean entropy in nats, None without tokens.

    >>> mean_entropy([]) is None
    True
    """
    values = [token_entropy(token.alternatives) for token in tokens]
    return fmean(values) if values else None


def normalized_uncertainty(tokens: Iterable[Token]) -> float | None:
    """Return NU, the mean over `tokens` of H / ln(outcomes), 0 to 1; None without tokens.

    Source: arXiv 2601.17532, NU = mean H / ln K, with the divisor corrected. Where all tokens
    have as many outcomes this is the mean entropy divided by its logarithm: seed system 0's
    published 0.274 nats of five outcomes are 0.170.

    >>> round(0.274 / math.log(5), 3), round(0.314 / math.log(5), 3)
    (0.17, 0.195)
    """
    values = [normalized_entropy(token) for token in tokens]
    return fmean(values) if values else None


def mean_of_most_uncertain(values: Sequence[float]) -> float | None:
    """Return the mean of the largest fifth of `values`, at least one of them; None of none.

    Seed system 1's rule: a few unsure words in a long sure answer are not lost in its mean.

    >>> mean_of_most_uncertain([0.25] * 9 + [0.75]), mean_of_most_uncertain([0.25])
    (0.5, 0.25)
    """
    count = max(1, len(values) // 5)
    return fmean(sorted(values, reverse=True)[:count]) if values else None


def scored(token: Token) -> bool:
    """Return whether a token says something: it has a letter or a digit, and alternatives.

    Punctuation, space and control tokens are left out.

    >>> scored(Token(" ,", -0.1, (Alternative(",", -0.1),)))
    False
    """
    text = token.text.strip()
    control = text.startswith("<|") and text.endswith("|>")
    return not control and any(map(str.isalnum, text)) and bool(_shown(token.alternatives))


def yes_probability(token: Token) -> float | None:
    """Return P(yes) / (P(yes) + P(no)) from the first token of a yes/no reply.

    None where neither word is among the alternatives.

    >>> shown = (Alternative("Yes", math.log(0.6)), Alternative("no", math.log(0.2)))
    >>> round(yes_probability(Token("Yes", -0.5, shown)), 2)
    0.75
    """
    shown = token.alternatives or (Alternative(token.text, token.logprob),)
    said = {"yes": 0.0, "no": 0.0}
    for item in shown:
        word, p = item.text.strip(" \n\t.,!*\"'").lower(), probability(item.logprob)
        if word in said and p is not None:
            said[word] += p
    both = said["yes"] + said["no"]
    return said["yes"] / both if both else None


def yes_or_no(reply: Completion) -> float | None:
    """Return how sure a model is of "yes"; from the word alone without log-probabilities.

    None where it said neither.

    >>> from research_agent.types import ModelCall
    >>> yes_or_no(Completion("No.", ModelCall("verifier")))
    0.0
    """
    first = next((token for token in reply.tokens if token.text.strip()), None)
    first = first or next(iter(reply.tokens), None)
    if first:
        return yes_probability(first)
    return {"yes": 1.0, "no": 0.0}.get(reply.text.strip(" .!").lower())


def probability(logprob: float) -> float | None:
    """Return the probability of a log-probability, None for what is none.

    >>> probability(0.0), probability(2.0), probability(float("nan"))
    (1.0, None, None)
    """
    return math.exp(min(logprob, 0.0)) if logprob <= ROUNDING else None


def _choices(alternatives: Sequence[Alternative]) -> list[float]:
    """Return the probabilities of all choices, which sum to one; none where nothing is known."""
    shown = _shown(alternatives)
    total = math.fsum(shown)
    if total <= 0.0:
        return []
    if total >= 1.0 - LEAST_REST:
        return [p / total for p in shown]
    return [*shown, 1.0 - total]


def _shown(alternatives: Sequence[Alternative]) -> list[float]:
    """Return the probabilities of the alternatives that have one.

    Some servers list the sampled token twice: with the same text and value it is the same. Parts
    of characters look alike and are not.
    """
    seen, found = set[Alternative](), list[float]()
    for item in alternatives:
        p = probability(item.logprob)
        whole = bool(item.text) and "\ufffd" not in item.text
        if p is not None and p > 0.0 and not (whole and item in seen):
            seen.add(item)
            found.append(p)
    return found
