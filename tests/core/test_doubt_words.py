"""What a person is told of an answer's doubts, in words."""

from collections.abc import Sequence
from math import log

import pytest

from research_agent.core.claims import Claim
from research_agent.core.disagreement import disagreement
from research_agent.core.doubt_words import (
    MOST,
    Spot,
    difference_spots,
    measured,
    placed,
    spots,
    told,
    values,
)
from research_agent.core.types import Alternative, Token

EVEN = tuple(Alternative(text, log(1 / 3)) for text in "127")


def written(*pieces: str, unsure: Sequence[int]) -> tuple[Token, ...]:
    """Return tokens, those at `unsure` with three even choices, the others certain."""
    return tuple(
        Token(piece, -1.1, EVEN) if at in unsure else Token(piece, 0.0, (Alternative(piece, 0.0),))
        for at, piece in enumerate(pieces)
    )


def found_in(tokens: Sequence[Token], *claims: Claim, question: str = "How?") -> list[str]:
    text = "".join(token.text for token in tokens)
    return [spot.text for spot in spots(question, text, tokens, claims, max_entropy=0.6)]


def test_values_are_named_by_their_kind() -> None:
    """A number that is unsure in one of its digits, an identifier, a name."""
    pieces = (
        "The",
        " key",
        " by",
        " Bos",
        " for",
        " ML-KEM",
        "-7",
        "68",
        " has",
        " 2",
        "400",
        " m.",
    )
    claim = Claim("The key by Bos for ML-KEM-768 has 2400 m.")

    assert {
        "unsure about the name Bos",
        "unsure about the identifier ML-KEM-768",
        "unsure about the number 2400",
    } == {*found_in(written(*pieces, unsure=(3, 6, 9)), claim)}


def test_other_words_and_words_of_the_question_are_not_told() -> None:
    """Which word comes next is open in right answers too."""
    tokens = written("It", " surely", " has", " 12", " of", " 24", " m.", unsure=(1, 3))
    claim = Claim("It surely has 12 of 24 m.")

    assert ["unsure about the number 12"] == found_in(tokens, claim)
    assert [] == found_in(tokens, claim, question="Are there 12?")


def test_markers_and_list_signs_do_not_shift_the_place() -> None:
    """The place is that in the claim, not in the text."""
    tokens = written("1.", " It", " [c1]", " has", " 1", " m.", unsure=(4,))
    text = "".join(token.text for token in tokens)
    (spot,) = spots("How?", text, tokens, [Claim("It has 1 m.")], max_entropy=0.6)

    assert ("number", "1", 7) == (spot.kind, spot.sentence[spot.start : spot.end], spot.start)


def test_an_unsure_sentence_is_told_as_one() -> None:
    """Its words are not told apart, and a long one is cut."""
    tokens = written("It", " has", " 12", " m.", unsure=(0, 1, 2, 3))
    claim = Claim("It has 12 m.", mean_entropy=0.9)

    assert ['unsure of the whole sentence "It has 12 m."'] == found_in(tokens, claim)


@pytest.mark.parametrize("tokens", [(), (Token("It has 12 m.", -0.1),)])
def test_without_alternatives_nothing_is_told(tokens: tuple[Token, ...]) -> None:
    """Neither is anything of sentences that are no claims."""
    assert [] == found_in(tokens, Claim("It has 12 m."))
    assert [] == found_in(written("It", " has", " 12", unsure=(2,)))


def test_at_most_three_are_told_each_once_where_they_stand() -> None:
    """Of sentences that are not shown nothing is told."""
    many = [Spot("So.", "number", i, i + 1, f"unsure {i}", 0.9, "logprobs") for i in range(5)]
    other = Spot("No.", "number", 0, 1, "unsure of no", 1.0, "logprobs")
    shown = placed([other, *many, *many], {"So.": 10})

    assert MOST == len(shown)
    assert ["unsure 0", "unsure 1", "unsure 2"] == [one.text for one in shown]
    assert (10, 11) == shown[0].span
    assert "unsure 0; unsure 1; unsure 2" == told(shown)


def test_differences_of_two_answers() -> None:
    """What differs is named on both sides; what only one says too."""
    sentence = "The hose of Bos has 12 m."
    other = disagreement([sentence], "The hose of Bos has 16 m.")
    silent = disagreement([sentence], "The hose is by Bos.")
    assert other is not None
    assert silent is not None
    (spot,) = difference_spots(other, [Claim(sentence)])
    (lone,) = placed(difference_spots(silent, [Claim(sentence)]), {sentence: 0})

    assert "12" == sentence[spot.start : spot.end]
    assert "two answers differ on 12 and 16" == spot.text
    assert "a second answer does not say 12" == lone.text
    assert measured(lone).endswith("the second answer lacks 50 % of the sentence")


def test_capitals_name_nothing_where_they_mark_nouns() -> None:
    """In German every noun has one."""
    assert [] == list(values("Der Schlauch hat eine Farbe und ist ein Werkzeug."))
