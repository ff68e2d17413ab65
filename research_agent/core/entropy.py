"""How unsure a model was at each token, from the log-probabilities an API gives."""

import math
from collections.abc import Sequence

from research_agent.core.types import Alternative, Completion, Token


def token_entropy(alternatives: Sequence[Alternative]) -> float:
    """Return the entropy, in nats, of one token's choices.

    The choices are the alternatives an API shows and one more for the rest of the vocabulary,
    with the probability that is left: a lower bound of the true entropy. Log-probabilities that
    sum to more than one are scaled down to one. Without alternatives nothing is known; such
    tokens are not scored (`scored`), and the value is 0.

    >>> round(token_entropy([Alternative("a", math.log(0.5)), Alternative("b", math.log(0.5))]), 4)
    0.6931
    >>> half = [Alternative("a", math.log(0.5))]
    >>> round(token_entropy(half), 4)  # the rest bucket holds the other half
    0.6931
    """
    shown = [math.exp(min(item.logprob, 0.0)) for item in alternatives]
    total = sum(shown)
    if total <= 0.0:
        return 0.0
    choices = [p / total for p in shown] if total >= 1.0 else [*shown, 1.0 - total]
    return -sum(p * math.log(p) for p in choices if p > 0.0)


def outcomes(token: Token) -> int:
    """Return how many choices the entropy of `token` is taken over, the rest bucket included.

    >>> outcomes(Token("a", -0.1, (Alternative("a", -0.1), Alternative("b", -2.5))))
    3
    """
    return len(token.alternatives) + 1


def scored(token: Token) -> bool:
    """Return whether a token says something: it has a letter or a digit, and alternatives.

    Punctuation, space and control tokens are left out.

    >>> scored(Token(" ,", -0.1, (Alternative(",", -0.1),)))
    False
    """
    control = token.text.startswith("<|") and token.text.endswith("|>")
    return bool(token.alternatives) and not control and any(c.isalnum() for c in token.text)


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
        word = item.text.strip(" \n\t.,!*\"'").lower()
        if word in said:
            said[word] += math.exp(item.logprob)
    both = said["yes"] + said["no"]
    return said["yes"] / both if both else None


def yes_or_no(reply: Completion) -> float | None:
    """Return how sure a model is of "yes"; from the word alone without log-probabilities.

    None where it said neither.

    >>> from research_agent.core.types import ModelCall
    >>> yes_or_no(Completion("No.", ModelCall("verifier")))
    0.0
    """
    first = next((token for token in reply.tokens if token.text.strip()), None)
    first = first or next(iter(reply.tokens), None)
    if first:
        return yes_probability(first)
    return {"yes": 1.0, "no": 0.0}.get(reply.text.strip(" .!").lower())
