"""Retrieval confidence."""

import pytest

from research_agent.retrieval.confidence import retrieval_confidence
from research_agent.settings import ConfidenceSettings
from research_agent.types import Hit
from research_agent.types.retrieval import RetrievalConfidence
from tests.fakes import chunk

LONG = "how many bytes has the key"
CHINESE = "\u5bc6\u94a5\u5c01\u88c5\u673a\u5236\u7684\u516c\u94a5\u6709\u591a\u5c11\u5b57\u8282"


def confidence(
    similarities: list[float], question: str = LONG, bypass: float = 0.6
) -> RetrievalConfidence:
    hits = [Hit(chunk("x", i), 0.03, value) for i, value in enumerate(similarities)]
    return retrieval_confidence(question, hits, ConfidenceSettings(top_k=2, bypass=bypass))


@pytest.mark.parametrize(
    ("similarities", "question", "value", "decision"),
    [
        ([0.9, 0.4, 0.3, 0.3], LONG, 0.9, "bypass"),  # a clear winner
        ([0.9, 0.9, 0.3, 0.3], LONG, 0.9, "bypass"),  # two right chunks
        ([0.9, 0.9, 0.75, 0.75], LONG, 0.45, "refine"),  # half of the lead
        ([0.9] * 4, LONG, 0.0, "refine"),  # a flat ranking
        ([0.9, 0.4, 0.3, 0.3], "keys", 0.27, "refine"),  # one word of six
        ([0.9, 0.8], LONG, 0.9, "bypass"),  # no background
        ([-0.2, -0.5, -0.6], LONG, 0.0, "refine"),
        ([0.9, 0.4, 0.3, 0.3], CHINESE, 0.9, "bypass"),  # seven words
    ],
)
def test_value(similarities: list[float], question: str, value: float, decision: str) -> None:
    """Top similarity, lead over the background, length."""
    found = confidence(similarities, question)

    assert decision == found.decision
    assert pytest.approx(value) == found.value


def test_value_at_the_limit_bypasses() -> None:
    assert "bypass" == confidence([0.9, 0.4, 0.3, 0.3], bypass=0.9).decision


def test_nothing_found_is_no_confidence() -> None:
    found = retrieval_confidence(LONG, [Hit(chunk("x"), 0.9)], ConfidenceSettings())

    assert (0.0, "no dense similarity", 6) == (found.value, found.reason, found.words)


@pytest.mark.parametrize("question", ["keys", "key size", "\u5bc6\u94a5"])
def test_short_query_never_bypasses(question: str) -> None:
    """However well something fits one or two words, they can mean many things."""
    assert "refine" == confidence([1.0, *[-1.0] * 9], question, bypass=0.0).decision
