"""What a person is told an answer is unsure of."""

import math

import pytest

from research_agent.types import Token
from research_agent.types.claims import read_claims
from research_agent.types.uncertain_spans import (
    MOST,
    Spot,
    differing_spans,
    measured,
    placed,
    told,
    uncertain_spans,
)
from research_agent.verification.disagreement import disagreement
from tests.fakes import token

EVEN, SURE = (math.log(0.5), math.log(0.5)), (-0.001, -8.0)


def spans(
    *pieces: str, unsure: tuple[str, ...] = (), question: str = "?", limit: float = 9.0
) -> tuple[Spot, ...]:
    said = tuple(token(piece, *(EVEN if piece in unsure else SURE)) for piece in pieces)
    text = "".join(pieces)
    return uncertain_spans(question, text, said, read_claims(text, said), max_entropy=limit)


@pytest.mark.parametrize(
    ("pieces", "unsure", "word"),
    [
        (("It has", " 2", "400", " m."), "400", "2400"),
        (("It has", " 1,184", " m [c1]."), " 1,184", "1,184"),
        (("By", " ML-KEM", " it is so."), " ML-KEM", "ML-KEM"),
        (("By", " readFile", " it is so."), " readFile", "readFile"),
        (("Panjangnya", " 12", " meter."), " 12", "12"),
    ],
)
def test_values_are_told(pieces: tuple[str, ...], unsure: str, word: str) -> None:
    """Words with a digit, or with a capital behind their first letter."""
    (found,) = spans(*pieces, unsure=(unsure,))

    assert ("value", f"unsure about {word}") == (found.kind, found.text)
    assert word == found.sentence[found.start : found.end]
    assert math.isclose(1.0, found.value, abs_tol=0.01)
    assert math.isclose(math.log(2), found.nats or 0.0)


@pytest.mark.parametrize(
    ("pieces", "unsure"),
    [
        (("It has", " 2400", " m."), ""),
        (("It", " often", " rains."), " often"),
        (("Made by", " Shannon", " once."), " Shannon"),
        (("It has 5 m", " [c1]", "."), " [c1]"),
        (("The", " AX-7", " is 5 m long."), " AX-7"),
        (("It has", " 2400", " m."), "?"),
    ],
)
def test_other_words_are_not_told(pieces: tuple[str, ...], unsure: str) -> None:
    """Sure ones, plain words, markers, and what the question has."""
    assert () == spans(*pieces, unsure=(unsure,), question="How long is the AX-7?")


def test_a_whole_sentence_is_told_by_its_mean() -> None:
    """Then its words are not told apart; a long one is cut."""
    words = [f" word{at}" for at in range(30)]
    sure, unsure = spans("It is 5."), spans("It", *words, ".", unsure=tuple(words), limit=0.3)

    assert () == sure
    assert ["sentence"] == [one.kind for one in unsure]
    assert unsure[0].text.endswith('\u2026"')
    assert len(unsure[0].text) < 100


def test_tokens_that_tell_nothing() -> None:
    """Without alternatives, or none at all."""
    claims = read_claims("It has 5 m.")

    for tokens in ((), (Token("It has 5 m.", -9.0),)):
        assert () == uncertain_spans("?", "It has 5 m.", tokens, claims, max_entropy=0.1)


def test_a_second_answer_lacks_a_value() -> None:
    """The sentence that differs most comes first; a refusal is told as one."""
    claims = read_claims("The hose has 12 m [c1]. It has 121 valves.")
    found = disagreement([claim.text for claim in claims], "It has 121 valves. The hose has 1 m.")
    refused = disagreement([claim.text for claim in claims], "NOT FOUND: the hose")
    assert found is not None
    assert refused is not None
    (spot,), (none,) = differing_spans(found, claims), differing_spans(refused, claims)

    assert ("a second answer does not say 12", "12") == (
        spot.text,
        spot.sentence[spot.start : spot.end],
    )
    assert ("refusal", "a second answer found nothing in the documents") == (none.kind, none.text)


def test_what_is_shown_is_told_once_and_in_its_place() -> None:
    """At most three things, none of a sentence that is not shown."""
    spots = [
        Spot("It has 5 m.", "value", 7, 8, f"unsure about {at % 5}", 0.9, "logprobs", 0.6)
        for at in range(9)
    ]
    shown = placed(spots, {"It has 5 m.": 10})

    assert MOST == len(shown)
    assert {(17, 18)} == {one.span for one in shown}
    assert "unsure about 0; unsure about 1; unsure about 2" == told(shown)
    assert "unsure about 0: 0.60 nats, 0.90 of the most there could be" == measured(shown[0])
    assert () == placed(spots, {})
