"""Promotion: gates, cap, and what it must never do."""

from random import Random

import pytest

from research_agent.retrieval.reorder import promotion
from research_agent.retrieval.reorder.promotion import anchors, cap, promote
from research_agent.types import Chunk, Hit
from research_agent.types.question_plan import QuestionKind


def hit(name: str, score: float, text: str = "", lexical: float | None = None) -> Hit:
    return Hit(Chunk(name, "d", text, section=("Keys",)), score, lexical=lexical)


def order(query: str, hits: list[Hit], kind: QuestionKind = "general") -> str:
    return "".join(found.chunk.chunk_id for found in promote(query, hits, top_k=4, kind=kind))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what does ML-KEM.KeyGen do?", {"ml-kem.keygen"}),
        ("is FIPS 203 final", {"fips", "203"}),
        ("use of snake_case and readFile", {"snake_case", "readfile"}),
        ("What is a key?", set()),
        ("the pH of water", {"ph"}),
        ("(NIST) 'KEM'", {"nist", "kem"}),
    ],
)
def test_anchors(query: str, expected: set[str]) -> None:
    """Compounds, digits, acronyms and names in code; no word that only begins a sentence."""
    assert expected == anchors(query)


@pytest.mark.parametrize(
    ("query", "second", "third", "expected"),
    [
        ("FIPS 203?", hit("b", 0.8, "FIPS alone"), hit("c", 0.7, "FIPS 203 it is"), "cab"),
        ("FIPS 203 KEM", hit("b", 0.8, "FIPS 203"), hit("c", 0.8, "FIPS 203 KEM"), "cba"),
        ("plain words", hit("b", 0.8, lexical=4.0), hit("c", 0.7, lexical=9.0), "cab"),
        ("plain words", hit("b", 0.8), hit("c", 0.7), "abc"),
        ("FIPS 203", Hit(Chunk("b", "d", "text", section=("FIPS 203",)), 0.8), hit("c", 0), "bac"),
    ],
    ids=[
        "two technical words",
        "three",
        "share of the best lexical score",
        "nothing",
        "words of a heading",
    ],
)
def test_what_opens_the_general_gate(query: str, second: Hit, third: Hit, expected: str) -> None:
    assert expected == order(query, [hit("a", 0.9), second, third])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("general", "abc"),
        ("definition", "cab"),
        ("look-up", "abc"),
        ("comparison", "abc"),
        ("overview", "abc"),
    ],
)
def test_each_kind_has_its_gates(kind: QuestionKind, expected: str) -> None:
    hits = [hit("a", 0.9), hit("b", 0.8), hit("c", 0.7, "KEM")]

    assert expected == order("KEM", hits, kind)


def test_cap_is_taken_from_what_is_shown() -> None:
    hits = [hit(f"{i:02}", 1 - i / 100, "FIPS 203" if i >= 8 else "") for i in range(40)]
    found = promote("FIPS 203", hits, top_k=8)

    assert ["08", "09", "10", "11", "00", "01", "02", "03"] == [h.chunk.chunk_id for h in found[:8]]


def test_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """For 200 seeded rankings: the same hits, and the best of before stay among the shown."""
    monkeypatch.setattr(promotion, "POOL", 20)
    dice = Random(11)  # noqa: S311 (no secret is drawn)
    texts = ["", "FIPS", "FIPS 203", "203 KEM", "FIPS 203 KEM"]
    for _ in range(200):
        hits = [
            hit(f"{i:02}", dice.randrange(9) / 9, dice.choice(texts), dice.choice([None, 1.0, 5.0]))
            for i in range(dice.randrange(30))
        ]
        top_k = dice.randrange(1, 15)
        before = promote("plain", [hit(h.chunk.chunk_id, h.score) for h in hits], top_k=top_k)
        found = promote("FIPS 203 KEM", hits, top_k=top_k)
        shown = {item.chunk.chunk_id for item in found[:top_k]}
        safe = {item.chunk.chunk_id for item in before[: top_k - cap(top_k)]}

        assert sorted(h.chunk.chunk_id for h in hits) == sorted(h.chunk.chunk_id for h in found)
        assert safe <= shown
        assert found == promote("FIPS 203 KEM", dice.sample(hits, len(hits)), top_k=top_k)
