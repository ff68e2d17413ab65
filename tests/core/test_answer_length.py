"""Answers of at most so many words, in whole sentences."""

import pytest

from research_agent.core.answer_length import first_tokens, shortened, wants_more, word_count
from research_agent.core.question_words import ENGLISH
from research_agent.core.types import Token

LONG = "One two three [c1]. Four five six [c2]. Seven eight nine [c3]."


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        (LONG, 6, "One two three [c1]. Four five six [c2]."),
        (LONG, 8, "One two three [c1]. Four five six [c2]."),
        (LONG, 9, LONG),
        (LONG, 1, "One two three [c1]."),
        ("Steps:\n- one two\n- three four\n- five", 5, "Steps:\n- one two\n- three four"),
        ("| a | b |\n| 1 | 2 |\n| 3 | 4 |", 2, "| a | b |\n| 1 | 2 |\n| 3 | 4 |"),
        ("```\nsum(a, b)\nmul(a, b)\n```", 2, "```\nsum(a, b)\nmul(a, b)\n```"),
        ("\u5bc6\u94a5\u957f\u3002\u5f88\u957f\u3002", 3, "\u5bc6\u94a5\u957f\u3002"),
        ("", 5, ""),
        ("no sentence at all but words", 2, "no sentence at all but words"),
    ],
)
def test_shortened(text: str, most: int, kept: str) -> None:
    """The first sentence stays, whatever its length; code and tables stay whole."""
    assert kept == shortened(text, most)


def test_markers_and_signs_are_no_words() -> None:
    """What is counted is what is read aloud."""
    assert 3 == word_count("It is 5 [c1, c2] - ...")


@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("What are the steps of signing?", True),
        ("Explain in detail how it works.", True),
        ("Name every parameter set.", True),
        ("How long is the key?", False),
        ("What is allowed?", False),
        ("What is ML-KEM?", False),
    ],
)
def test_questions_that_want_more(question: str, more: bool) -> None:  # noqa: FBT001 (a parameter)
    """Told from whole words."""
    assert more is wants_more(question, [ENGLISH])


def test_tokens_of_what_is_left() -> None:
    """They spell it to the last character."""
    tokens = [Token("One two", 0.0), Token(" three", -1.0), Token(" four", -2.0)]

    assert "One two th" == "".join(token.text for token in first_tokens(tokens, 10))
    assert () == first_tokens(tokens, 0)
    assert tuple(tokens) == first_tokens(tokens, 99)
