"""Entropy of tokens."""

from math import log

import pytest

from research_agent.core.entropy import scored, token_entropy, yes_or_no, yes_probability
from research_agent.core.types import Alternative, Completion, ModelCall, Token
from tests.fakes import token


def alternatives(*probabilities: float) -> list[Alternative]:
    return [Alternative(str(i), log(p)) for i, p in enumerate(probabilities)]


def test_even_choice_of_four() -> None:
    """Four equal choices have ln 4 nats."""
    assert pytest.approx(log(4)) == token_entropy(alternatives(0.25, 0.25, 0.25, 0.25))


def test_rest_of_the_vocabulary_is_one_more_choice() -> None:
    """Half of the probability is not shown: it counts as one outcome."""
    assert pytest.approx(1.5 * log(2)) == token_entropy(alternatives(0.25, 0.25))


def test_published_example_is_wrong_and_the_right_figure_is_this() -> None:
    """[-.10, -.50, -1.20] sum to more than one: scaled down they have 1.01 nats, not .94."""
    given = [Alternative(str(i), lp) for i, lp in enumerate((-0.10, -0.50, -1.20))]

    assert pytest.approx(1.0114, abs=1e-4) == token_entropy(given)


def test_certain_and_unknown_tokens_have_none() -> None:
    """One choice of probability one, and no alternatives at all."""
    assert (0.0, 0.0) == (token_entropy(alternatives(1.0)), token_entropy([]))


@pytest.mark.parametrize(
    ("text", "expected"), [(" word", True), ("7", True), (",", False), ("<|im_end|>", False)]
)
def test_only_words_and_numbers_are_scored(text: str, expected: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Punctuation and control tokens say nothing."""
    assert expected == scored(token(text, -0.1))


def test_tokens_without_alternatives_are_not_scored() -> None:
    """Nothing is known about them."""
    assert not scored(Token("word", -0.1))


def test_yes_is_summed_over_its_spellings() -> None:
    """ "Yes" and " yes" are one answer; other words are left out."""
    shown = (*alternatives(0.2), Alternative("Yes", log(0.3)), Alternative(" yes", log(0.3)))
    reply = Token("Yes", log(0.3), (*shown, Alternative("No", log(0.2))))

    assert pytest.approx(0.75) == yes_probability(reply)


def test_reply_that_is_neither() -> None:
    """No verdict is no number."""
    call = ModelCall("verifier")

    assert yes_or_no(Completion("Perhaps", call)) is None
    assert yes_or_no(Completion("Perhaps", call, tokens=(token("Perhaps", -0.1),))) is None
    assert 1.0 == yes_or_no(Completion("Yes.", call))
