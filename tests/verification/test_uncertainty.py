"""How unsure an answer is by the best measure, and what a person is told of it."""

import math
from dataclasses import replace

import pytest

from research_agent.types import Alternative, Token
from research_agent.types.claims import Claim
from research_agent.types.uncertainty import (
    MOST_TOLD,
    Passed,
    Spot,
    Uncertainty,
    in_words,
    measured,
    placed,
    told,
    unusable_tokens,
)
from research_agent.types.verification import Answer
from research_agent.verification.claims import read_claims
from research_agent.verification.uncertainty import (
    Disagreement,
    by_logprobs,
    differing_spans,
    disagreement,
    measured_uncertainty,
    uncertain_spans,
)
from tests.fakes import says, token

GOOD = "Bread is baked at 230 degrees [c1]."
TOKENS = says(GOOD).tokens
EVEN, SURE = (math.log(0.5), math.log(0.5)), (-0.001, -8.0)


def measure(text: str, tokens: tuple[Token, ...] = (), *, second: str | None = None) -> Uncertainty:
    claims = [Claim(claim.text, support=1.0) for claim in read_claims(text)]
    return measured_uncertainty(Answer(text, tokens, second=second), claims)[0]


def valued(*logprobs: float) -> tuple[Token, ...]:
    return tuple(replace(token(one.text, *logprobs), logprob=-0.1) for one in TOKENS)


def test_log_probabilities_come_first() -> None:
    found = measure(GOOD, TOKENS, second="Bread is boiled.")

    assert ("logprobs", (), 6) == (found.source, found.passed, found.tokens)
    assert found.value == found.normalized == by_logprobs(TOKENS).normalized
    assert (found.normalized or 1.0) < 0.05


@pytest.mark.parametrize(
    ("text", "tokens", "why"),
    [
        (GOOD, (), "absent"),
        ("Something else.", TOKENS, "misaligned"),
        (GOOD, TOKENS[:-1], "misaligned"),
        (GOOD, tuple(Token(one.text, -0.1) for one in TOKENS), "partial"),
        (GOOD, (*TOKENS[:2], *(Token(one.text, -0.1) for one in TOKENS[2:])), "partial"),
        (GOOD, valued(math.nan), "partial"),
        (GOOD, tuple(Token(t.text, -9.0, (Alternative("{", -0.1),)) for t in TOKENS), "forced"),
        (" ...", (token(" ...", -0.1, -2.5),), "silent"),
    ],
)
def test_what_cannot_be_used_is_passed_with_its_reason(
    text: str, tokens: tuple[Token, ...], why: str
) -> None:
    assert why == unusable_tokens(text, tokens) == measure(text, tokens).passed[0].why


def test_a_second_answer_else_the_evidence() -> None:
    same, other = measure(GOOD, second=GOOD), measure(GOOD, second="Bread is baked at 180 degrees.")
    alone, failed = measure(GOOD), measure(GOOD, second="...")

    assert ("disagreement", 0.0, None) == (same.source, same.value, same.mean_entropy)
    assert ("disagreement", 1.0) == (other.source, other.value)
    assert (Passed("logprobs", "absent"),) == same.passed
    assert ("overlap", 0.0) == (alone.source, alone.value)
    assert [["absent", "not_asked"], ["absent", "failed"]] == [
        [passed.why for passed in one.passed] for one in (alone, failed)
    ]


def test_nothing_is_known_of_nothing() -> None:
    shown = measured_uncertainty(Answer("Bread.", form="passages"), ())[0]

    assert ("none", None) == (measure("").source, measure("").value)
    assert "silent" == measure("").passed[2].why
    assert ("none", {"passages"}) == (shown.source, {passed.why for passed in shown.passed})
    assert in_words(shown).startswith(
        "not known (not by log-probabilities: the documents' own words"
    )
    assert "0.14 nats a token" in in_words(Uncertainty("logprobs", 0.14, 0.1))
    assert "60 % of what" in in_words(Uncertainty("disagreement", value=0.6))


def differ(first: str, second: str) -> Disagreement:
    found = disagreement([first], second)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The key has 1,184 bytes.", "It has 1184 bytes, the key [c2]."),
        ("Kunci itu memiliki 32 byte.", "Kunci itu memiliki 32 byte [c1]."),
        ("密钥有 32 字节。", "密钥有 32 字节。"),
        ("ML-KEM-768 encrypts.", "It is encrypted by ML-KEM-768.\nNOT FOUND: the year"),
    ],
)
def test_the_same_in_other_words(first: str, second: str) -> None:
    assert Disagreement(0.0) == differ(first, second)


@pytest.mark.parametrize(
    ("first", "second", "own"),
    [
        ("密钥有 32 字节。", "密钥有 64 字节。", ("32",)),
        ("The hose has 12 m.", "The hose is long.", ("12",)),
        ("A B C D E F G H I 12.", "A B C D E F G H I 16.", ("12",)),
    ],
)
def test_another_value_is_full_disagreement(first: str, second: str, own: tuple[str, ...]) -> None:
    found = differ(first, second)

    assert 1.0 == found.value == found.sentences[0].share
    assert own == found.sentences[0].own


@pytest.mark.parametrize("second", ["NOT FOUND: the length", "Not found in provided docs."])
def test_a_refusal_agrees_with_nothing(second: str) -> None:
    assert Disagreement(1.0, refused=True) == differ("The hose has 12 m.", second)


def spans(
    *pieces: str, unsure: tuple[str, ...] = (), question: str = "?", limit: float = 9.0
) -> tuple[Spot, ...]:
    said = tuple(token(piece, *(EVEN if piece in unsure else SURE)) for piece in pieces)
    answer = Answer("".join(pieces), said)
    return uncertain_spans(question, answer, read_claims(answer.text, said), max_entropy=limit)


@pytest.mark.parametrize(
    ("pieces", "unsure", "word"),
    [
        (("It has", " 2", "400", " m."), "400", "2400"),
        (("It has", " 1,184", " m [c1]."), " 1,184", "1,184"),
        (("By", " ML-KEM", " it is so."), " ML-KEM", "ML-KEM"),
        (("By", " readFile", " it is so."), " readFile", "readFile"),
        (("Panjangnya", " 12", " meter."), " 12", "12"),
        (("2400", " m is its length."), "2400", "2400"),
        (("It has", " 2400", " m."), "", ""),  # sure
        (("It", " often", " rains."), " often", ""),
        (("Made by", " Shannon", " once."), " Shannon", ""),
        (("It has 5 m", " [c1]", "."), " [c1]", ""),
        (("The", " AX-7", " is 5 m long."), " AX-7", ""),  # the question has it
    ],
)
def test_values_are_told(pieces: tuple[str, ...], unsure: str, word: str) -> None:
    """Words with a digit, or with a capital behind their first letter."""
    told = spans(*pieces, unsure=(unsure,), question="How long is the AX-7?")

    assert bool(word) == len(told)
    for found in told:
        assert ("value", f"unsure about {word}") == (found.kind, found.text)
        assert word == found.sentence[found.start : found.end]
        assert math.isclose(1.0, found.value, abs_tol=0.01)
        assert math.isclose(math.log(2), found.nats or 0.0)


def test_a_whole_sentence_is_told_by_its_mean() -> None:
    words = [f" word{at}" for at in range(30)]
    unsure = spans("It", *words, ".", unsure=tuple(words), limit=0.3)
    mute = Answer("It has 5 m.", (Token("It has 5 m.", -9.0),))

    assert ["sentence"] == [one.kind for one in unsure]
    assert unsure[0].text.endswith('\u2026"')
    assert len(unsure[0].text) < 100
    assert () == uncertain_spans("?", mute, read_claims(mute.text), max_entropy=0.1)


def test_a_second_answer_lacks_a_value() -> None:
    claims = read_claims("The hose has 12 m [c1]. It has 121 valves.")
    found = disagreement([claim.text for claim in claims], "It has 121 valves. The hose has 1 m.")
    refused = disagreement([claim.text for claim in claims], "NOT FOUND: the hose")
    assert found is not None
    assert refused is not None
    (spot,), (none,) = (differing_spans("?", one, claims) for one in (found, refused))

    assert "a second answer does not say 12" == spot.text
    assert "12" == spot.sentence[spot.start : spot.end]
    assert ("refusal", "a second answer found nothing in the documents") == (none.kind, none.text)
    more = disagreement(["It has 121 valves."], "It has 121 valves. The hose has 12 m.")
    assert more
    assert more.value > 0
    assert () == differing_spans("?", more, claims)
    assert () == differing_spans("Has it a hose of 12 m?", found, claims)


def test_what_is_shown_is_told_once_and_in_its_place() -> None:
    spots = [
        Spot("It has 5 m.", "value", 7, 8, f"unsure about {at % 5}", 0.9, "logprobs", 0.6)
        for at in range(9)
    ]
    other = Spot("It has 5 m.", "difference", 7, 8, "lacks 5", 0.5, "disagreement")
    shown = placed(spots, {"It has 5 m.": 10})

    assert MOST_TOLD == len(shown)
    assert {(17, 18)} == {one.span for one in shown}
    assert "unsure about 0; unsure about 1; unsure about 2" == told(shown)
    assert "unsure about 0: 0.60 nats, 0.90 of the most there could be" == measured(shown[0])
    assert () == placed(spots, {})
    (one,) = placed([other], {"It has 5 m.": 0})
    assert "lacks 5: the second answer lacks 50 % of the sentence" == measured(one)
