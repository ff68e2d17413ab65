"""Entropies from what an API shows: checked by hand, and with values that are none."""

import math
from math import log

import pytest

from research_agent.types import Alternative, Completion, ModelCall, Token, entropy
from tests.fakes import token


def alternatives(*probabilities: float) -> tuple[Alternative, ...]:
    return tuple(Alternative(str(i), log(p)) for i, p in enumerate(probabilities))


def shown(*logprobs: float) -> Token:
    return Token("0", -0.1, tuple(Alternative(str(i), lp) for i, lp in enumerate(logprobs)))


SPLIT = (Alternative("\ufffd", log(0.5)),) * 2
"""Two bytes with one replacement text and one value are two outcomes."""
SPELT = tuple(
    Alternative(text, log(p)) for text, p in (("Yes", 0.3), (" yes", 0.3), ("No", 0.2), ("x", 0.2))
)
TWICE = (Alternative("a", log(0.5)), Alternative("a", log(0.25)))


@pytest.mark.parametrize(
    ("given", "nats"),
    [
        (alternatives(0.25, 0.25, 0.25, 0.25), log(4)),
        (alternatives(0.25, 0.25), 1.5 * log(2)),  # the rest is one more outcome
        (alternatives(1.0), 0.0),
        ((), 0.0),
        (shown(-0.10, -0.50, -1.20).alternatives, 1.0114),  # sums to more than one: scaled down
        (shown(1e-4).alternatives, 0.0),  # rounding above zero
        ((*alternatives(0.5, 0.25), *alternatives(0.5)), 1.5 * log(2)),  # the same token twice
        (TWICE, 1.5 * log(2)),
        (SPLIT, log(2)),
        *(
            ((*alternatives(0.5), Alternative("x", wrong)), log(2))
            for wrong in (math.nan, math.inf, -math.inf, 0.7, 5.0, 1e308)
        ),
    ],
)
def test_entropy_of_a_token(given: tuple[Alternative, ...], nats: float) -> None:
    """What is no log-probability is part of the rest, as if not listed."""
    assert pytest.approx(nats, abs=1e-4) == entropy.token_entropy(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *((Token("0", -1, alternatives(*[1 / (n + 1)] * n)), 1.0) for n in (1, 3, 5)),
        (Token("0", -1, alternatives(*[1 / 6] * 6)), 1.0),  # (seed system 0 gives 1.113)
        (shown(-0.01, -0.01, -0.01), 1.0),
        (shown(-0.10, -0.50, -1.20), 0.921),
        (shown(1e-4), 0.0),
    ],
)
def test_divisor_is_the_number_of_outcomes(given: Token, expected: float) -> None:
    assert pytest.approx(expected, abs=1e-3) == entropy.normalized_entropy(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (token(" word", -0.1), True),
        (token("7", -0.1), True),
        (token(",", -0.1), False),
        (token("<|im_end|>", -0.1), False),
        (token("x|>", -0.1), True),
        (Token("word", -0.1), False),
        (Token("x", 5.0, (Alternative("x", 5.0),)), False),
    ],
)
def test_which_tokens_are_scored(given: Token, *, expected: bool) -> None:
    """Punctuation, control tokens and those without usable alternatives say nothing."""
    assert expected == entropy.scored(given)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Perhaps", None),
        ("Yes.", 1.0),
        (token("Perhaps", -0.1), None),
        (Token("Yes", log(0.3), SPELT), 0.75),  # summed over its spellings
        (Token("yes", 1e308, (Alternative("yes", 1e308), Alternative("no", log(0.5)))), 0.0),
    ],
)
def test_yes_or_no(reply: str | Token, expected: float | None) -> None:
    """From log-probabilities, else from the word; a broken value is left out, not raised."""
    call = ModelCall("verifier")
    said = Completion(reply, call) if isinstance(reply, str) else None
    given = said or Completion("", call, tokens=(reply,))  # type: ignore[arg-type]  # (a token)

    assert pytest.approx(expected) == entropy.yes_or_no(given)


def test_means() -> None:
    tokens = [shown(log(0.5), log(0.5)), shown(0.0)]

    assert pytest.approx(log(2) / 2) == entropy.mean_entropy(tokens)
    assert pytest.approx(0.5) == entropy.normalized_uncertainty(tokens)
    assert entropy.mean_entropy([]) is None
    assert entropy.normalized_uncertainty([]) is None
    assert entropy.mean_of_most_uncertain([]) is None
    assert 1.0 == entropy.mean_of_most_uncertain([1.0, 0.0, 0.0])
