"""Normalised uncertainty of short answers, and the gain of a chunk."""

import math
from math import log

import pytest

from research_agent.answering.select_evidence.information_gain import (
    Measured,
    gain,
    measured,
    token_rows,
)
from research_agent.types import Alternative, Completion, ModelCall, Token
from tests.fakes import says

COST = ModelCall("prune")


def word(text: str, *probabilities: float) -> Token:
    shown = tuple(Alternative(f"{text}{i or ''}", log(p)) for i, p in enumerate(probabilities))
    return Token(text, log(probabilities[0]), shown)


def reply(*tokens: Token, text: str | None = None) -> Completion:
    written = "".join(token.text for token in tokens) if text is None else text
    return Completion(written, COST, tokens=tokens)


def test_mean_over_the_tokens_that_say_something() -> None:
    """Punctuation, citation markers and control tokens are no part of it."""
    half, sure = word("230", 0.5, 0.5), word(" degrees", 1.0)
    rest = (word(" [", 0.2, 0.2), word("c1", 0.2, 0.2), word("]", 0.2, 0.2), word(".", 0.3))
    found = measured(reply(half, sure, *rest, word("<|im_end|>", 0.3)))

    assert (2, 0.5, log(2)) == (found.token_count, found.nu, found.most_uncertain)
    assert pytest.approx(log(2) / 2) == found.mean_entropy
    assert "230 degrees [c1].<|im_end|>" == found.text


def test_one_token() -> None:
    """One token is a mean of one; a certain one is 0, not the maximum."""
    assert 0.0 == measured(reply(word("Paris", 1.0))).nu
    assert 1.0 == measured(reply(word("Paris", 0.5, 0.5))).nu


def test_two_thousand_tokens() -> None:
    """A long answer is a mean like any other."""
    found = measured(reply(*[word(" so", 0.5, 0.5)] * 2000))

    assert (2000, 1.0) == (found.token_count, found.nu)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (Completion("230", COST), "no log-probabilities"),
        (Completion("", COST), "nothing to score"),
        (reply(word("<|im_end|>", 0.9), text=""), "nothing to score"),
        (reply(word("230", 0.9), text="Something else"), "no log-probabilities"),
        (reply(word(".", 0.9)), "nothing to score"),
        (reply(Token("230", -0.1)), "nothing to score"),
        (reply(Token("230", math.nan, (Alternative("230", math.nan),))), "nothing to score"),
        (reply(Token("230", 3.0, (Alternative("230", 3.0),))), "nothing to score"),
    ],
)
def test_without_a_value_the_reason_is_there(given: Completion, missing: str) -> None:
    """Absent, misaligned, empty or broken log-probabilities give no number at all."""
    found = measured(given)

    assert (None, None, 0, missing) == (
        found.nu,
        found.mean_entropy,
        found.token_count,
        found.missing,
    )
    assert gain(Measured(nu=0.5), found) is None


def test_tokens_without_alternatives_are_left_out_alone() -> None:
    """A part of them is enough: the others are scored."""
    found = measured(reply(Token("About", -0.1), word(" 230", 0.5, 0.5)))

    assert (1, 1.0) == (found.token_count, found.nu)


def test_refusal_is_told() -> None:
    """A model may be very sure that it does not know: that is no certainty of an answer."""
    assert measured(says("NOT FOUND: the degrees")).refused
    assert not measured(says("230 degrees")).refused


def test_gain_has_a_sign() -> None:
    """A chunk informs, says nothing, or distracts."""
    start = Measured(nu=0.5)

    assert [0.25, 0.0, -0.25] == [gain(start, Measured(nu=nu)) for nu in (0.25, 0.5, 0.75)]


def test_rows_of_every_token() -> None:
    """What is not scored has no entropy, and keeps its alternatives."""
    rows = token_rows((word("230", 0.5, 0.5), word(".", 0.5, 0.25)))

    assert [("230", True), (".", False)] == [(row.text, row.entropy is not None) for row in rows]
    assert [(".", log(0.5)), (".1", log(0.25))] == list(rows[1].alternatives)
    assert () == token_rows(())
