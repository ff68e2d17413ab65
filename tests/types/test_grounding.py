"""A sentence is compared with all passages, and the features are what was seen."""

import pytest

from research_agent.types import Chunk
from research_agent.types.grounding import (
    FEATURES,
    NO_RELEVANCE,
    GroundingModel,
    compare,
    features,
    probability,
)

BREAD = Chunk("a", "guide", "Bread is baked at 230 degrees. It rains.")
SALT = Chunk("b", "guide", "It snows. Salt is added on Mondays.")
CHUNKS = {"c1": BREAD, "c2": SALT}
MODEL = GroundingModel(
    weights=(1.0,) * len(FEATURES),
    bias=0.5,
    means=(0.0,) * len(FEATURES),
    scales=(2.0,) * len(FEATURES),
    limit=0.3,
    unsure=(0.1, 0.6),
    data="",
    cross_encoder="",
)


def named(sentence: str) -> dict[str, float]:
    return dict(zip(FEATURES, features(compare(sentence, CHUNKS), [], []), strict=True))


def test_two_passages_are_taken_together() -> None:
    """A sentence merged from two is held by both windows, whichever is the better."""
    found = compare("Bread is baked at 230 degrees and salt is added on Mondays.", CHUNKS)
    assert ("Bread is baked at 230 degrees.", "Salt is added on Mondays.") == (
        found.best,
        found.second,
    )
    assert 0.5 < found.coverage[0] < found.coverage[1] == 1.0
    assert 2 == len(found.passages)
    assert ["c1", "c2"] == list(found.quotes)


def test_what_stands_nowhere_is_a_feature() -> None:
    """Numbers, identifiers and names, each apart."""
    told = named("Bread is baked at 777 degrees in Ulm by AB12.")
    assert 1.0 == told["missing_numbers"] == told["missing_names"] == told["missing_identifiers"]
    assert 1.0 == named("Bread is baked at 230 degrees, 3 times.")["computed_numbers"]
    held = named("Bread is baked at 230 degrees.")
    assert 0.0 == held["missing_numbers"] == held["missing_names"] == held["computed_numbers"]


def test_the_passage_that_says_another_number_is_named() -> None:
    """With both numbers."""
    found = compare("Bread is baked at 777 degrees.", CHUNKS)
    assert "c1" == found.contradicted_by
    assert found.contradiction
    assert ("777", "230") == (found.contradiction.said, found.contradiction.found)


@pytest.mark.parametrize("sentence", ["", "!!!", "密钥", "x" * 5000, "Bread " * 1000])
def test_any_sentence_has_features(sentence: str) -> None:
    """Without words, in another script, or endless."""
    told = named(sentence)
    assert NO_RELEVANCE == told["relevance"]
    assert 0.0 <= told["best_window"] <= told["two_windows"] <= 1.0


def test_without_evidence_nothing_is_held() -> None:
    """No passage, or one without text."""
    assert () == compare("Bread is baked.", {}).passages
    assert () == compare("Bread is baked.", {"c1": Chunk("e", "", "")}).passages


def test_the_probability_is_logistic() -> None:
    """Standardised, weighed and summed; far values neither overflow nor leave 0 to 1."""
    assert probability([0.0] * len(FEATURES), MODEL) == pytest.approx(0.6225, abs=1e-4)
    assert 0.0 < probability([-1e9] * len(FEATURES), MODEL) < 1e-9
    assert 1.0 >= probability([1e9] * len(FEATURES), MODEL) > 0.999
