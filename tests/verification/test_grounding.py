"""A sentence is compared with all passages; features give a probability, numbers contradict."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from research_agent.text.hard_facts import hard_facts
from research_agent.types import Chunk
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.contradictions import contradicted
from research_agent.verification.grounding import (
    FEATURES,
    NO_RELEVANCE,
    compare,
    features,
    ground,
    probability,
)
from tests.fakes import TEXTS, WordPairs, chunk

BREAD = Chunk("a", "guide", "Bread is baked at 230 degrees. It rains.")
SALT = Chunk("b", "guide", "It snows. Salt is added on Mondays.")
CHUNKS = {"c1": BREAD, "c2": SALT}
EVIDENCE = {f"c{place}": chunk(text, place) for place, text in enumerate(TEXTS, start=1)}
FITTED = read_grounding()
ONE = (1.0,) * len(FEATURES)
MODEL = replace(FITTED, weights=ONE, bias=0.5, means=(0.0,) * len(FEATURES), scales=ONE)


def named(sentence: str) -> dict[str, float]:
    return dict(zip(FEATURES, features(compare(sentence, CHUNKS), [], []), strict=True))


def test_two_passages_are_taken_together() -> None:
    found = compare("Bread is baked at 230 degrees and salt is added on Mondays.", CHUNKS)

    assert ("Bread is baked at 230 degrees.", "Salt is added on Mondays.") == (
        found.best,
        found.second,
    )
    assert 0.5 < found.coverage[0] < found.coverage[1] == 1.0
    assert (2, ["c1", "c2"]) == (len(found.passages), list(found.quotes))


def test_what_stands_nowhere_is_a_feature() -> None:
    told = named("Bread is baked at 777 degrees in Ulm by AB12.")
    held = named("Bread is baked at 230 degrees.")

    assert 1.0 == told["missing_numbers"] == told["missing_names"] == told["missing_identifiers"]
    assert 1.0 == named("Bread is baked at 230 degrees, 3 times.")["computed_numbers"]
    assert 0.0 == held["missing_numbers"] == held["missing_names"] == held["computed_numbers"]


@pytest.mark.parametrize("sentence", ["", "!!!", "密钥", "x" * 5000, "Bread " * 1000])
def test_any_sentence_has_features(sentence: str) -> None:
    told = named(sentence)

    assert NO_RELEVANCE == told["relevance"]
    assert 0.0 <= told["best_window"] <= told["two_windows"] <= 1.0


def test_the_probability_is_logistic() -> None:
    """Standardised, weighed and summed; far values neither overflow nor leave 0 to 1."""
    assert probability([0.0] * len(FEATURES), MODEL) == pytest.approx(0.6225, abs=1e-4)
    assert 0.0 < probability([-1e9] * len(FEATURES), MODEL) < 1e-9
    assert 1.0 >= probability([1e9] * len(FEATURES), MODEL) > 0.999


def test_held_sentences_are_likelier_than_others() -> None:
    held, other, empty, wrong = (
        ground(sentence, EVIDENCE, WordPairs(), FITTED)
        for sentence in (
            "ML-KEM-768 has an encapsulation key of 1184 bytes.",
            "Wine is red.",
            "…",
            "Bread is baked at 250 degrees.",
        )
    )

    assert held.probability > FITTED.limit > max(other.probability, empty.probability)
    assert TEXTS[0] == held.quotes["c1"].quote
    assert ("c1", {}) == (next(iter(held.quotes)), other.quotes)
    assert {"held"} == {fact.status for fact in held.facts}
    assert wrong.contradiction
    assert ("250", "230") == (wrong.contradiction.said, wrong.contradiction.found)


def test_a_sum_or_difference_of_figures_in_that_place_is_no_contradiction() -> None:
    """Also of another chunk; far figures of a chunk are only added up one after the other."""
    prices = [
        f"The price of {name} is {euros} euros." for name, euros in (("rye", 164), ("oats", 140))
    ]
    chunks = {f"c{at}": chunk(text, at) for at, text in enumerate(prices, 1)}
    table = " | flats\nA | 42\nB | 56\nC | 34"
    flats = {"c1": chunk("Flats\n\nOne has 42 flats. It rains. Two have 56 flats. 34 flats burnt.")}
    tables = {"c1": replace(chunk(table), kind="table")}

    for said in ("The price of rye is 24 euros higher.", "The price of rye is higher by 24 euros."):
        assert ("computed", None) == told(said, chunks)
    other = compare("The price of rye is 23 euros higher.", chunks).contradiction
    assert ("23", "164") == (other and other.said, other and other.found)
    for evidence in (flats, tables):
        assert ("computed", None) == told("Together there are 132 flats.", evidence)
        assert ("missing", None) == told("Together there are 133 flats.", evidence)
    assert ("missing", None) == told("Altogether 8 and 132 euros.", flats)


def told(sentence: str, chunks: Mapping[str, Chunk]) -> tuple[str, object]:
    found = compare(sentence, chunks)
    return found.facts[-1].status, found.contradiction


@pytest.mark.parametrize("text", [None, "", "密钥长度为1184字节。"])
def test_nothing_to_compare_with(text: str | None) -> None:
    chunks = {} if text is None else {"c1": Chunk("z", "", text)}

    assert () == compare("It has keys.", chunks).passages
    assert ground("It has keys.", chunks, WordPairs(), FITTED).probability < FITTED.limit


TABLE = Chunk(
    "t",
    "guide",
    "Table 3. Sizes\n | key | ciphertext\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088",
    kind="table",
)


BAKED = "Bread is baked at 230 degrees."
HOT = "Bread is baked at 250 degrees."
LOCKED = "The shed is locked at 22:30 every night."
OFFER = Chunk("x", "offers", "A kiln is insured up to 500 euros.", section=("Three offers",))
IN_INDONESIAN = "Roti dipanggang pada suhu {} derajat."


@pytest.mark.parametrize(
    ("sentence", "text", "found"),
    [
        (HOT, f"Our b{BAKED[1:]}", "230"),
        (IN_INDONESIAN.format(250), IN_INDONESIAN.format(230), "230"),
        (HOT, "Bread is baked: 230 degrees.", "230"),
        # the same time and years in other print
        ("The shed is locked at 22.30 every night.", LOCKED, ""),
        ("The shed is locked at 22.45 every night.", LOCKED, "22:30"),
        ("The season 1998/99 was cold.", "The season 1998-1999 was cold.", ""),
        # the same row and column of a table
        ("The ML-KEM-768 key has 1185 bytes.", TABLE, "1184"),
        ("The ML-KEM-768 ciphertext has 1185 bytes.", TABLE, "1088"),
        ("The ML-KEM-1024 key has 1185 bytes.", TABLE, ""),
        # another thing, another unit, a number that is there as well, or about as large
        (HOT, "Kilns are fired at 230 degrees.", ""),
        ("Bread is baked for 250 seconds.", BAKED, ""),
        (HOT, f"{BAKED} Use 250 ml.", ""),
        ("Bread is baked at about 230 degrees.", "Bread is baked at 228 degrees.", ""),
        (
            "The moor dries out at 0.7 centimetres a year.",
            "In this year the water table stood 11 centimetres below that of last year.",
            "",
        ),
        ("Bread is baked.", BAKED, ""),
        ("The three offers add up to 900 euros.", OFFER, ""),
    ],
)
def test_another_number_in_the_same_place(sentence: str, text: str | Chunk, found: str) -> None:
    chunk = Chunk("x", "guide", text) if isinstance(text, str) else text
    facts = hard_facts(sentence, [chunk.text], window=chunk.text)
    other = contradicted(sentence, chunk, facts)

    assert found == (other.found if other else "")


def test_both_numbers_and_their_place_are_told() -> None:
    text = f"It rains. {BAKED}"
    other = contradicted(HOT, Chunk("x", "guide", text), hard_facts(HOT, [text], window=text))

    assert other
    assert ("250", BAKED) == (other.said, other.quote.quote)
