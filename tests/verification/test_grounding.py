"""A sentence is compared with all passages; the features give a probability."""

from dataclasses import replace

import pytest

from research_agent.types import Chunk
from research_agent.verification.adapters.grounding_file import read_grounding
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


@pytest.mark.parametrize("text", [None, "", "密钥长度为1184字节。"])
def test_nothing_to_compare_with(text: str | None) -> None:
    chunks = {} if text is None else {"c1": Chunk("z", "", text)}

    assert () == compare("It has keys.", chunks).passages
    assert ground("It has keys.", chunks, WordPairs(), FITTED).probability < FITTED.limit
