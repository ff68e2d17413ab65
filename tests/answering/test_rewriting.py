"""Sentences that are written again in their own place."""

import pytest

from research_agent.answering.rewriting import rewritten, token_slice
from research_agent.types import Token
from tests.fakes import says

TEXT = "It is wet. It has 5 m [c1]. It is red."
TOKENS = says(TEXT).tokens


def again(new: str, old: str = "It has 5 m [c1].", text: str = TEXT) -> str:
    at = text.index(old)
    return rewritten(text, (), [(at, at + len(old), new, ())])[0]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        (TEXT, "It has 5 m [c1].", "It has 6 m [c2].", "It is wet. It has 6 m [c2]. It is red."),
        (TEXT, "It has 5 m [c1].", "It has 6 m", "It is wet. It has 6 m. It is red."),
        (TEXT, "It has 5 m [c1].", "It has 6 m [c2]", "It is wet. It has 6 m [c2]. It is red."),
        (TEXT, "It is red.", "It is blue", "It is wet. It has 5 m [c1]. It is blue"),
        ("- It is 5.\n- It is 6.", "- It is 5.", "It is 7.", "- It is 7.\n- It is 6."),
        ("1. It is 5.\n2. It is 6.", "2. It is 6.", "It is 8.", "1. It is 5.\n2. It is 8."),
        ("它是红的。它是湿的。", "它是红的。", "它是蓝的", "它是蓝的。它是湿的。"),
        (TEXT, "It has 5 m [c1].", "", "It is wet.  It is red."),
    ],
)
def test_a_sentence_takes_the_place_of_another(
    text: str, old: str, new: str, expected: str
) -> None:
    """Signs of lists stay, and a full stop is added where two sentences would run together."""
    assert expected == again(new, old, text)


def test_tokens_spell_the_new_text() -> None:
    """Those of the old sentence go; a sentence without tokens gets one that is not scored."""
    at, new = TEXT.index("It has"), says("It has 6 m [c2].")
    end = at + len("It has 5 m [c1].")

    for tokens in (new.tokens, ()):
        text, own = rewritten(TEXT, TOKENS, [(at, end, new.text, tokens)])
        assert text == "".join(one.text for one in own)
        assert not any("5" in one.text for one in own)


def test_tokens_of_another_text_stay_and_grow() -> None:
    """They spelled nothing before, and spell nothing afterwards."""
    strange, new = says("Quite another text.").tokens, says("It is 6.").tokens
    _, own = rewritten(TEXT, strange, [(0, 10, "It is 6.", new)])

    assert (*strange, *new) == own


def test_a_part_of_a_token_is_not_scored() -> None:
    """But one that loses white space alone is."""
    (whole,) = token_slice(TOKENS, 3, 5)
    (part,) = token_slice([Token("wetter", -0.1, TOKENS[0].alternatives)], 0, 3)

    assert ("is", TOKENS[1].alternatives) == (whole.text, whole.alternatives)
    assert ("wet", ()) == (part.text, part.alternatives)
