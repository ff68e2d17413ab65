"""What evidence holds of a sentence: words, numbers, names, and a probability."""

import time
from dataclasses import replace

import pytest

from research_agent.core.grounding import (
    FEATURES,
    NO_RELEVANCE,
    Compared,
    GroundingModel,
    compare,
    features,
    probability,
)
from research_agent.core.hard_facts import hard_facts
from tests.fakes import chunk

KEY = chunk("The key of ML-KEM has 1,184 bytes. It rains in Ulm.")
BREAD = chunk("Bread is baked at 230 degrees for an hour.", 1)
CHUNKS = {"c1": KEY, "c2": BREAD}
SIZES = replace(
    chunk("Table 3. Sizes\n | key | ciphertext\nKEM-512 | 800 | 768\nKEM-768 | 1184 | 1088", 2),
    kind="table",
)
MODEL = GroundingModel(
    weights=(1.0, *[0.0] * (len(FEATURES) - 1)),
    bias=0.0,
    means=(0.0,) * len(FEATURES),
    scales=(1.0,) * len(FEATURES),
    limit=0.5,
    unsure=(0.3, 0.7),
    data="",
    cross_encoder="",
)


def statuses(sentence: str, *texts: str, window: str = "") -> list[tuple[str, str]]:
    return [(fact.text, fact.status) for fact in hard_facts(sentence, texts, window=window)]


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("It has 1 184 bytes.", "1,184"),
        ("It has 1.184,5 bytes.", "1184.5"),
        ("2²⁵⁶ keys", "2^256"),
        ("10^-6", "10⁻⁶"),
        ("45 % of them", "45 percent"),
        ("on 03/05/2024", "2024-05-03"),
        ("am 3. Mai 2024", "May 3, 2024"),
        ("AES-256 and readFile()", "aes 256, read_file"),
        ("He said “so … goes”", "So it goes"),
        ("密钥有32字节", "长度为32"),
        ("٣٫٥ kg", "3.5"),
    ],
)
def test_hard_facts_are_found_in_any_typography(said: str, evidence: str) -> None:
    """Marks of thousands, exponents, dates, identifiers, quotations, digits of other scripts."""
    assert statuses(said, evidence)
    assert {"held"} == {status for _, status in statuses(said, evidence)}


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("It has 1,088 bytes.", "1,088"),
        ("on 2024-05-04", "2024-05-04"),
        ("by AES-128", "AES-128"),
        ('It says "never again".', "never again"),
        ("It has 118 bytes.", "118"),
    ],
)
def test_hard_facts_that_stand_nowhere_are_missing(said: str, fact: str) -> None:
    """A part of a longer number is another number."""
    assert [(fact, "missing")] == statuses(said, "AES-256 has 1184 bytes on 2024-05-03: again.")


def test_arithmetic_is_neither_held_nor_missing() -> None:
    """Of two numbers in the nearest evidence, or of the sentence itself."""
    window = "800 then, and 1184 now"

    assert [("384", "computed")] == statuses("It grew by 384.", window, window=window)
    assert [("385", "missing")] == statuses("It grew by 385.", window, window=window)


def test_a_number_in_another_place_contradicts() -> None:
    """In the same statement, or the same row and column; not where the evidence has it too."""
    said = compare("The key of ML-KEM has 1088 bytes.", CHUNKS)
    row = compare("Table 3 has a KEM-768 key of 1185 as its size.", {"c1": SIZES})

    assert said.contradiction is not None
    assert ("c1", "1088", "1184") == (
        said.contradicted_by,
        said.contradiction.said,
        said.contradiction.found.replace(",", ""),
    )
    assert row.contradiction is not None
    assert "1184" == row.contradiction.found
    assert compare("The key of ML-KEM has 1184 bytes.", CHUNKS).contradiction is None
    assert (
        compare("The key of ML-KEM has 800 bytes.", {"c1": KEY, "c2": SIZES}).contradiction is None
    )


def test_a_number_of_another_thing_contradicts_nothing() -> None:
    """What has another identifier is not what the sentence speaks of."""
    said = "KEM-1024 has an encapsulation key of 1568 bytes."
    other = chunk("KEM-512 has an encapsulation key of 800 bytes.")

    assert compare(said, {"c1": other}).contradiction is None
    assert compare(said.replace("1024", "512"), {"c1": other}).contradiction is not None


def test_a_sentence_merged_of_two_chunks_is_held_by_two_windows() -> None:
    """The second window is the one that adds most."""
    found = compare("The key has 1184 bytes, bread is baked at 230 degrees.", CHUNKS)

    assert found.coverage[0] < 0.7
    assert 1.0 == found.coverage[1]
    assert {"c1", "c2"} == set(found.quotes)
    assert 2 == len(found.passages)


@pytest.mark.parametrize("sentence", ["", "...", "—", "the of and"])
def test_a_sentence_without_words(sentence: str) -> None:
    """Nothing is held, nothing is missing, and it has a probability."""
    found = compare(sentence, CHUNKS)

    assert Compared(quotes={}) == found
    assert (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, NO_RELEVANCE, 0.0, 0.0) == features(found, (), ())
    assert 0.5 == probability(features(found, (), ()), MODEL)


@pytest.mark.parametrize("part", ["x", "word ", "1 ", "A.b", '"', "Name Of ", "1.5e5", "x1-", "-"])
def test_a_sentence_of_5000_characters(part: str) -> None:
    """It is compared like any other, in little time."""
    long = part * (5000 // len(part))
    start = time.perf_counter()
    found = compare(long, {"c1": chunk(f"{long} and more."), **CHUNKS})

    assert time.perf_counter() - start < 10.0
    assert 0.0 <= found.coverage[0] <= found.coverage[1] <= 1.0


@pytest.mark.parametrize(
    "sentence",
    [
        "Хлеб выпекают при 230 градусах.",
        "面包在230度烘烤。",
        "Roti dipanggang pada suhu 230 derajat.",
    ],
)
def test_evidence_in_another_language(sentence: str) -> None:
    """Words are not held, but numbers are; small letters make no names."""
    found = compare(sentence, CHUNKS)

    assert found.coverage[1] < 0.5
    assert ["held"] == [fact.status for fact in found.facts]
    assert (0, None) == (found.missing_names, found.contradiction)


def test_names_that_stand_nowhere_are_counted() -> None:
    """Not the first word, and not what the evidence or its headings have."""
    assert 2 == compare("Bread of Ulm is baked by Ada Lovelace.", CHUNKS).missing_names


def test_probability_is_bounded() -> None:
    """Extreme values overflow nothing."""
    values = (1e9, *[0.0] * (len(FEATURES) - 1))

    assert 0.99 < probability(values, MODEL) <= 1.0
    assert 0.0 <= probability((-1e9, *values[1:]), MODEL) < 0.01
