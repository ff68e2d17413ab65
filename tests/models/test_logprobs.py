"""Lists of log-probabilities, as servers write them, become tokens that lie on the text."""

import math
from typing import Any

import pytest

from research_agent.models.logprobs import entries_under, read_tokens
from research_agent.types import Alternative, Token

TOP = [{"token": "Par", "logprob": -0.1}, {"token": "Lon", "logprob": -2.5}]
SHOWN = (Alternative("Par", -0.1), Alternative("Lon", -2.5))
END = "<|im_end|>"


def entry(text: object, logprob: object = -0.1, raw: object = None, top: object = ()) -> Any:  # noqa: ANN401 (whatever a server may write)
    return {"token": text, "logprob": logprob, "bytes": raw, "top_logprobs": top}


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        ([entry("Par", top=TOP), entry("is", -0.5)], "Paris", [("Par", -0.1), ("is", -0.5)]),
        ([entry(END), entry("a"), entry(END, raw=list(END.encode()))], "a", [("a", -0.1)]),
        ([entry("\n"), entry(" a")], "a", [("\n", -0.1), (" a", -0.1)]),
        ([entry("\n"), entry(" a")], "", [("\n", -0.1), (" a", -0.1)]),
        ([entry("Hi"), entry("", -0.2, [240, 159])], "Hi", [("Hi", -0.1)]),
        *(([entry("a", raw=raw)], "a", [("a", -0.1)]) for raw in ([], "bytes", [300], {"a": 1})),
    ],
)
def test_tokens_make_up_the_text(
    given: list[Any], text: str, expected: list[tuple[str, float]]
) -> None:
    """Without control tokens, space at the ends, and a character that was cut."""
    assert expected == [(token.text, token.logprob) for token in read_tokens(given, text)]


@pytest.mark.parametrize(
    "middle",
    [
        *(entry(" is", logprob) for logprob in (math.nan, None, 10**400, "-0.1", True)),
        entry(None),
        {"logprob": -0.1},
        entry(" was"),
    ],
)
def test_a_part_is_none(middle: Any) -> None:  # noqa: ANN401 (whatever a server may write)
    """Where a token is missing, or its number, there are no tokens at all."""
    assert () == read_tokens([entry("Paris"), middle, entry(" it")], "Paris is it")


@pytest.mark.parametrize(
    ("first", "second"), [("", ""), ("\\xf0\\x9f\\x98", "\\x80"), ("\ufffd", "\ufffd")]
)
def test_a_character_in_two_tokens(first: str, second: str) -> None:
    """Parts of one character become one token, as likely as both, whatever they are shown as."""
    parts = [entry(first, -0.25, [240, 159, 152], TOP), entry(second, -0.5, [128], TOP)]
    expected = (Token("Hi ", -0.1), Token("😀", -0.75), Token("!", -0.1))
    assert expected == read_tokens([entry("Hi "), *parts, entry("!", raw=[33])], "Hi 😀!")


@pytest.mark.parametrize(
    ("top", "alternatives"),
    [
        (TOP, SHOWN),
        (None, ()),
        ("x", ()),
        ([None, {}, {"token": 1, "logprob": 0}, {"token": "b", "logprob": None}], ()),
        ([{"token": "", "logprob": -9.0}], (Alternative("", -9.0),)),
    ],
)
def test_alternatives(top: object, alternatives: tuple[Alternative, ...]) -> None:
    """A token whose alternatives are none is kept."""
    assert (Token("a", -0.1, alternatives),) == read_tokens([entry("a", top=top)], "a")


@pytest.mark.parametrize("owner", [None, [], "content", {"content": None}, {"content": "x"}])
def test_lists_that_are_none(owner: object) -> None:
    """Whatever a server writes in their place."""
    assert [] == entries_under(owner, "content")
