"""Entropy of tokens."""

import math
from math import log

import pytest

from research_agent.types import Alternative, Completion, ModelCall, Token
from research_agent.types.entropy import (
    mean_entropy,
    mean_of_most_uncertain,
    normalized_entropy,
    normalized_uncertainty,
    outcomes,
    scored,
    token_entropy,
    yes_or_no,
    yes_probability,
)
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


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 0.7, 5.0, 1e308])
def test_what_is_no_log_probability_is_part_of_the_rest(wrong: float) -> None:
    """Not a number, infinite, or above zero: the other half is one outcome, as if not listed."""
    given = (*alternatives(0.5), Alternative("x", wrong))
    only = Token("x", wrong, (Alternative("x", wrong),))

    assert pytest.approx(log(2)) == token_entropy(given)
    assert 2 == outcomes(Token("a", log(0.5), given))
    assert (0.0, False) == (token_entropy(only.alternatives), scored(only))


def test_rounding_above_zero_is_zero() -> None:
    """Servers round: a hair above zero is certainty."""
    assert (0.0, 0.0) == (
        token_entropy([Alternative("a", 1e-4)]),
        normalized_entropy(Token("a", 0.0, (Alternative("a", 1e-4),))),
    )


def test_sampled_token_that_is_listed_twice_counts_once() -> None:
    """The same text with the same value is the same token; another value is another token."""
    twice = (*alternatives(0.5, 0.25), *alternatives(0.5))
    spaced = (Alternative("a", log(0.5)), Alternative("a", log(0.25)))

    assert pytest.approx(token_entropy(alternatives(0.5, 0.25))) == token_entropy(twice)
    assert pytest.approx(1.5 * log(2)) == token_entropy(spaced)


def test_parts_of_characters_that_look_alike_stay_apart() -> None:
    """Two bytes may have one replacement text and one value, and are two outcomes."""
    parts = (Alternative("\ufffd", log(0.5)), Alternative("\ufffd", log(0.5)))

    assert pytest.approx(log(2)) == token_entropy(parts)


@pytest.mark.parametrize(("listed", "expected"), [(5, 6), (3, 4), (1, 2)])
def test_divisor_is_the_number_of_outcomes(listed: int, expected: int) -> None:
    """Fewer alternatives than asked for have fewer outcomes; even choices are 1 in any case."""
    even = tuple(Alternative(str(i), log(1 / (listed + 1))) for i in range(listed))

    assert expected == outcomes(Token("0", -1.0, even))
    assert pytest.approx(1.0) == normalized_entropy(Token("0", -1.0, even))


def test_normalised_value_never_leaves_its_range() -> None:
    """Where seed system 0 gives 1.113 (six outcomes divided by ln 5), and with sums above one."""
    six = tuple(Alternative(str(i), log(1 / 6)) for i in range(6))
    above = tuple(Alternative(str(i), -0.01) for i in range(3))

    assert 1.113 == round(log(6) / log(5), 3)
    assert pytest.approx(1.0) == normalized_entropy(Token("0", -1.8, six))
    assert pytest.approx(1.0) == normalized_entropy(Token("0", -0.01, above))


def test_published_examples_with_the_right_figures() -> None:
    """Seed 1: 1.0114 nats are 0.921 of ln 3, and 0.85 nats are no half of ln 5 or ln 3."""
    given = tuple(Alternative(str(i), lp) for i, lp in enumerate((-0.10, -0.50, -1.20)))
    claimed = [0.62, 0.23, 0.15]

    assert 0.921 == round(normalized_entropy(Token("0", -0.1, given)), 3)
    assert 0.919 == round(token_entropy(alternatives(*claimed)), 3)
    assert (0.528, 0.774) == (round(0.85 / log(5), 3), round(0.85 / log(3), 3))
    assert 1.498 == round(token_entropy(alternatives(*[0.1] * 5)), 3)  # (seed 0 cuts it to 1.49)


def test_bits_read_as_nats_keep_their_order() -> None:
    """They cannot be told from nats; a surer token stays the surer one."""

    def bits(*probabilities: float) -> list[Alternative]:
        return [Alternative(str(i), math.log2(p)) for i, p in enumerate(probabilities)]

    assert token_entropy(bits(0.95, 0.05)) < token_entropy(bits(0.6, 0.4))
    assert normalized_entropy(Token("0", -1.0, tuple(bits(0.5, 0.5)))) <= 1.0


def test_means_of_nothing_are_none() -> None:
    """No token, no value."""
    assert (None, None, None) == (
        mean_entropy([]),
        normalized_uncertainty([]),
        mean_of_most_uncertain([]),
    )


@pytest.mark.parametrize(("count", "largest"), [(1, 1), (4, 1), (5, 1), (9, 1), (10, 2), (35, 7)])
def test_most_uncertain_fifth(count: int, largest: int) -> None:
    """At least one value, and no more than a fifth."""
    values = [1.0] * largest + [0.0] * (count - largest)

    assert 1.0 == mean_of_most_uncertain(values)
    assert (mean_of_most_uncertain([*values[1:], 0.0]) or 0.0) < 1.0


def test_yes_or_no_survives_values_that_are_none() -> None:
    """A broken value is left out of the verdict, not raised."""
    shown = (Alternative("yes", 1e308), Alternative("no", log(0.5)))

    assert 0.0 == yes_probability(Token("yes", 1e308, shown))
