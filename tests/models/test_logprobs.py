"""Lists of log-probabilities, as servers write them, become tokens that lie on the text."""

import math

import pytest

from research_agent.models.logprobs import entries_under, read_tokens
from research_agent.types import Alternative, Token

TOP = [{"token": "Par", "logprob": -0.1}, {"token": "Lon", "logprob": -2.5}]
SHOWN = (Alternative("Par", -0.1), Alternative("Lon", -2.5))


def entry(
    text: object, logprob: object = -0.1, raw: object = None, top: object = ()
) -> dict[str, object]:
    return {"token": text, "logprob": logprob, "bytes": raw, "top_logprobs": top}


def test_tokens_and_alternatives() -> None:
    """What a server gives is kept in its order."""
    given = [entry("Par", top=TOP), entry("is", -0.5)]
    assert (Token("Par", -0.1, SHOWN), Token("is", -0.5)) == read_tokens(given, "Paris")


def test_control_tokens_are_dropped() -> None:
    """They are no part of the text, wherever they stand."""
    for control in ("<|im_end|>", "<|eot_id|>", "<||>"):
        given = [entry(control), entry("a"), entry(control, raw=list(control.encode()))]
        assert (Token("a", -0.1),) == read_tokens(given, "a")


@pytest.mark.parametrize(
    "given",
    [
        [],
        [entry("Paris")],
        [entry("Paris is"), entry(" it"), entry("!")],
        [entry("Paris"), entry(" is", math.nan), entry(" it")],
        [entry("Paris"), entry(" is", None), entry(" it")],
        [entry("Paris"), entry(None), entry(" it")],
        [entry("Paris"), {"logprob": -0.1}, entry(" it")],
        [entry("Paris"), entry(" is", 10**400), entry(" it")],
        [entry("Paris"), entry(" is", "-0.1"), entry(" it")],
        [entry("Paris"), entry(" is", logprob=True), entry(" it")],
    ],
)
def test_a_part_is_none(given: list[dict[str, object]]) -> None:
    """Where a token is missing, or its number, there are no tokens at all."""
    assert () == read_tokens(given, "Paris is it")


def test_space_at_the_ends_does_not_count() -> None:
    """Servers strip the text and not the tokens; without a text the tokens are it."""
    given = [entry("\n"), entry(" a"), entry(" ")]
    for text in ("a", ""):
        assert ["\n", " a", " "] == [token.text for token in read_tokens(given, text)]


@pytest.mark.parametrize(
    ("first", "second"), [("", ""), ("\\xf0\\x9f\\x98", "\\x80"), ("\ufffd", "\ufffd")]
)
def test_a_character_in_two_tokens(first: str, second: str) -> None:
    """Parts of one character become one token, as likely as both, whatever they are shown as."""
    given = [
        entry("Hi "),
        entry(first, -0.25, [240, 159, 152], TOP),
        entry(second, -0.5, [128], TOP),
        entry("!", raw=[33]),
    ]
    expected = (Token("Hi ", -0.1), Token("😀", -0.75), Token("!", -0.1))
    assert expected == read_tokens(given, "Hi 😀!")


def test_a_text_that_ends_within_a_character() -> None:
    """At the token limit a character may be cut; the tokens before it count."""
    given = [entry("Hi"), entry("", -0.2, [240, 159])]
    assert (Token("Hi", -0.1),) == read_tokens(given, "Hi")


@pytest.mark.parametrize("raw", [None, [], "bytes", [300], [1.5], {"a": 1}])
def test_bytes_that_are_none(raw: object) -> None:
    """The token's own text counts."""
    assert (Token("a", -0.1),) == read_tokens([entry("a", raw=raw)], "a")


@pytest.mark.parametrize("top", [None, "x", [None], [{"token": 1, "logprob": 0}], [{}]])
def test_alternatives_that_are_none(top: object) -> None:
    """Such a token has none; it is kept. A list that is shorter is taken as it is."""
    assert (Token("a", -0.1),) == read_tokens([entry("a", top=top)], "a")
    given = [entry("a", top=[{"token": "", "logprob": -9.0}, {"token": "b", "logprob": None}])]
    assert (Token("a", -0.1, (Alternative("", -9.0),)),) == read_tokens(given, "a")


@pytest.mark.parametrize("owner", [None, [], "content", {"content": None}, {"content": "x"}])
def test_lists_that_are_none(owner: object) -> None:
    """Whatever a server writes in their place."""
    assert [] == entries_under(owner, "content")
