"""Which word of an answer is in doubt, and what is searched for it."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.types import Alternative, Chunk, Token
from research_agent.types.claims import Claim
from research_agent.types.verification import SentenceDoubt
from research_agent.verification import dragin
from tests.fakes import chunk, token

KEY = chunk("ML-KEM-768 has an encapsulation key of 1,184 bytes.")
BREAD = chunk("Bread is baked at 230 degrees.", 1)
EVEN, SURE = (math.log(0.5), math.log(0.5)), (-0.001, -8.0)
SAID = ("ML-KEM-768 has an encapsulation key of", " 1088", " bytes [c1].")
TEXT = "".join(SAID)
NAN, POSITIVE = Alternative("x", math.nan), Alternative("y", 3.0)


def tokens(*pieces: str, unsure: Sequence[str] = ()) -> tuple[Token, ...]:
    return tuple(token(piece, *(EVEN if piece in unsure else SURE)) for piece in pieces)


def doubts(
    said: Sequence[Token],
    text: str = "",
    claims: Sequence[Claim] = (),
    cited: Chunk = KEY,
    seen: Sequence[Chunk] = (KEY, BREAD),
) -> tuple[SentenceDoubt, ...]:
    text = text or "".join(one.text for one in said)
    chunks = {"c1": cited, "c2": BREAD}
    return dragin.sentence_doubts((text, said), claims, chunks, seen, limit=0.5)


def test_value_that_the_chunk_does_not_say_is_in_doubt() -> None:
    (found,) = doubts(tokens(*SAID, unsure=[" 1088"]))

    assert "1088" == found.word
    assert math.isclose(math.log(2), found.score or 0.0)
    assert ("ML-KEM-768", "encapsulation", "key", "bytes") == found.certain
    assert "How large is ML-KEM-768? encapsulation key bytes" == dragin.doubt_query(
        "How large is ML-KEM-768?", found.certain, frozenset()
    )


@pytest.mark.parametrize("word", [" 1184", " 1,184", " bytes"])
def test_word_that_the_cited_chunk_says_is_in_no_doubt(word: str) -> None:
    (found,) = doubts(tokens("ML-KEM-768 key has", word, " [c1].", unsure=[word]))

    assert ("", 0.0) == (found.word, found.score)


@pytest.mark.parametrize(
    ("pieces", "unsure", "word"),
    [
        (("The key", " is", " of the oven [c1]."), " is", ""),
        (("Kunci itu", " dapat", " digunakan dengan aman [c1]."), " dapat", ""),
        (("密钥", "的", "长度是1184字节。"), "的", ""),
        (("密钥长度为", "九百", "字节。"), "九百", "九百"),
    ],
)
def test_function_words_are_in_no_doubt(pieces: Sequence[str], unsure: str, word: str) -> None:
    (found,) = doubts(tokens(*pieces, unsure=[unsure]))

    assert word == found.word


def test_rare_words_weigh_more() -> None:
    """A word that all chunks hold is in little doubt even where the cited one lacks it."""
    other = chunk("Nothing is said here.", 2)
    said = tokens("The", " key", " [c1].", unsure=[" key"])
    keys = [replace(KEY, chunk_id=f"k{number}") for number in range(9)]
    (rare,), (usual,) = (
        doubts(said, cited=other, seen=[other]),
        doubts(said, cited=other, seen=keys),
    )

    assert "key" == rare.word
    assert (usual.score or 1.0) < 0.05
    assert 1.0 == dragin.rarity(0, 0) == dragin.rarity(0, 40)


def test_words_behind_the_doubt_have_to_be_held() -> None:
    said = tokens("The key of", " Shannon", " was sold in Boston as bytes [c1].")
    said = (said[0], token(" Shannon", *EVEN), said[2])

    assert ("key", "bytes") == doubts(said)[0].certain


def test_query_has_a_limit_and_says_nothing_twice() -> None:
    many = [f"{one}{other}" for one in "bcdfgh" for other in "klmnpqr"]

    assert 2 + dragin.MOST_WORDS == len(
        dragin.doubt_query("Which keys?", many, frozenset()).split()
    )
    assert "Which keys?" == dragin.doubt_query("Which keys?", ["Keys", "keys"], frozenset())


@pytest.mark.parametrize(
    "given",
    [
        (),
        (Token(TEXT, 0.0),),
        (Token(TEXT, math.nan, (NAN, POSITIVE)),),
        (Token("other words", -0.7, (Alternative("a", -0.7), Alternative("b", -0.7))),),
        tokens(*SAID[:2], unsure=SAID),
    ],
    ids=["absent", "no alternatives", "nan and positive", "misaligned", "a part of the text"],
)
def test_unusable_log_probabilities_tell_nothing(given: tuple[Token, ...]) -> None:
    (found,) = doubts(given, TEXT)

    assert (None, "") == (found.score, found.word)
    assert ("ML-KEM-768", "encapsulation", "key", "1088", "bytes") == found.certain
