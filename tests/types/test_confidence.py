"""Retrieval confidence."""

from typing import Literal

import pytest

from research_agent.types import Hit
from research_agent.types.confidence import RetrievalConfidence, retrieval_confidence
from tests.fakes import chunk

LONG = "how many bytes has the key"


def confidence(similarities: list[float], question: str = LONG) -> RetrievalConfidence:
    hits = [Hit(chunk("x", i), 0.03, value) for i, value in enumerate(similarities)]
    return retrieval_confidence(
        question, hits, top_k=2, concentration_scale=0.3, length_norm=6, bypass=0.6
    )


def test_clear_winner_is_trusted() -> None:
    """The best stands .6 above the background: nothing is taken off."""
    found = confidence([0.9, 0.4, 0.3, 0.3])

    assert "bypass" == found.decision
    assert pytest.approx(0.9) == found.value


def test_several_right_chunks_do_not_count_against_each_other() -> None:
    """Two equal hits at the top are as good as one."""
    assert confidence([0.9, 0.4, 0.3, 0.3]).value == confidence([0.9, 0.9, 0.3, 0.3]).value


def test_flat_ranking_is_not_trusted() -> None:
    """Where everything is as similar, nothing is singled out."""
    assert ("refine", 0.0) == (confidence([0.9] * 4).decision, confidence([0.9] * 4).value)


def test_short_question_is_not_trusted() -> None:
    """One word of six that the norm asks for weighs .3."""
    assert pytest.approx(0.9 * 0.3) == confidence([0.9, 0.4, 0.3, 0.3], "keys").value


def test_small_corpus_has_no_background() -> None:
    """With no more hits than may be answers, nothing speaks against the best one."""
    assert pytest.approx(0.9) == confidence([0.9, 0.8]).value


def test_nothing_found_is_no_confidence() -> None:
    """Without any dense similarity the value is 0, whatever the fused score."""
    value = retrieval_confidence(
        LONG, [Hit(chunk("x"), 0.9)], top_k=2, concentration_scale=0.3, length_norm=6, bypass=0.6
    )

    assert (0.0, "no dense similarity") == (value.value, value.reason)


def test_scripts_without_spaces_are_not_short() -> None:
    """Fourteen Chinese characters are about seven words, not one."""
    chinese = "\u5bc6\u94a5\u5c01\u88c5\u673a\u5236\u7684\u516c\u94a5\u6709\u591a\u5c11\u5b57\u8282"

    found = confidence([0.9, 0.4, 0.3, 0.3], chinese)

    assert (7, 1.0, "bypass") == (found.words, found.length_weight, found.decision)


SEED_HITS = [Hit(chunk("x", i), 0.0, 1 - d) for i, d in enumerate((0.2, 0.6, 1.0, 1.2, 1.8))]
FLAT_HITS = [Hit(chunk("x", i), 0.0, 1 - d) for i, d in enumerate((0.8, 0.85, 0.9, 0.95, 1.0))]


@pytest.mark.parametrize(
    ("question", "hits", "value"),
    [("how are keys made", SEED_HITS, 0.6), ("keys", FLAT_HITS, 0.03)],
)
def test_seed_profile_reproduces_its_published_examples(
    question: str, hits: list[Hit], value: float
) -> None:
    """Four words with the distances .2 to 1.8; one word with a flat ranking. Both are refined."""
    found = retrieval_confidence(
        question,
        hits,
        top_k=5,
        concentration_scale=0.3,
        length_norm=6,
        bypass=0.25,
        profile="seed",
    )

    assert (value, "refine", "seed") == (round(found.value, 2), found.decision, found.profile)


@pytest.mark.parametrize("profile", ["default", "seed"])
@pytest.mark.parametrize("question", ["keys", "key size", "\u5bc6\u94a5"])
def test_short_query_never_bypasses(profile: Literal["default", "seed"], question: str) -> None:
    """However well something fits one or two words, they can mean many things."""
    hits = [Hit(chunk("x", i), 0.0, value) for i, value in enumerate([1.0, *[-1.0] * 9])]
    found = retrieval_confidence(
        question,
        hits,
        top_k=5,
        concentration_scale=0.01,
        length_norm=1,
        bypass=0.0,
        seed_bypass=0.0,
        profile=profile,
    )

    assert "refine" == found.decision
