"""Answers in the documents' own words: what they are cut from, which is chosen, how they read."""

from collections.abc import Sequence

import pytest

from research_agent.answering.write.passages import (
    Passage,
    as_answer,
    best_passage,
    looked_up,
    passages_of,
)
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import Evidence

SIZES = "Table 3. Sizes in bytes\n | key | ciphertext\nKEM-512 | 800 | 768\nKEM-768 | 1184 | 1088"
STEPS = "Algorithm 2 Sum(a, b)\nInput: numbers.\n1: c = a + b\n2: d = c\n3: return d"


def item(key: str, text: str, kind: str = "text") -> Evidence:
    return Evidence(key, Hit(Chunk(key, "doc", text, kind=kind)))  # type: ignore[arg-type]  # (a kind)


def test_sentences_rows_and_whole_algorithms() -> None:
    evidence = [
        item("c1", "The key has 1184 bytes. It is public, as all know."),
        item("c2", SIZES, "table"),
        item("c3", STEPS, "algorithm"),
    ]
    found = list(passages_of(evidence))

    assert [
        "The key has 1184 bytes.",
        "It is public, as all know.",
        "KEM-512 | 800 | 768",
        "KEM-768 | 1184 | 1088",
        STEPS,
    ] == [passage.text for passage in found]
    assert ["", "", "Table 3. Sizes in bytes\n | key | ciphertext"] == [
        passage.head for passage in found[:3]
    ]
    assert [0, 0, 1, 1, 2] == [passage.rank for passage in found]


class Likeness:
    """Gives texts the cosines to the question that they are set to have."""

    name = "likeness"

    def __init__(self, **cosines: float) -> None:
        self.cosines = cosines

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        known = [self.cosines.get(text.split()[1], 1.0) for text in texts]
        return [[1.0, 0.0], *([x, (1 - x * x) ** 0.5] for x in known[1:])]


@pytest.mark.parametrize(
    ("large", "hard", "best"),
    [
        (0.3, 0.3, "The lattice is hard."),
        (0.9, 0.3, "Keys large of a lattice."),
        (0.3, 0.2, "The lattice is hard."),
    ],
)
def test_the_best_passage_is_near_and_early_and_has_the_words(
    large: float, hard: float, best: str
) -> None:
    evidence = [
        item("c1", "Keys large of a lattice. Trains are late. The lattice is hard."),
        item("c2", "The lattice is hard to break."),
    ]
    likeness = Likeness(large=large, lattice=hard)
    found = best_passage("Is the lattice hard?", "lattice", evidence, likeness)

    assert found is not None
    assert best == found.text
    assert best_passage("Is it hard?", "zebra", evidence, Likeness()) is None


def test_every_line_of_an_answer_has_its_key() -> None:
    rows = [p for p in passages_of([item("c2", SIZES, "table")]) if "768" in p.text]
    whole = Passage("c3", "1: c = a + b 2: d = c 3: return d")

    assert (
        "Table 3. Sizes in bytes [c2]\n| key | ciphertext [c2]\nKEM-512 | 800 | 768 [c2]\n"
        "KEM-768 | 1184 | 1088 [c2]\n1: c = a + b [c3]\n2: d = c [c3]\n3: return d [c3]"
    ) == as_answer([*rows, whole])


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Give me Algorithm 2", True),
        ("What are the steps in algorithm 2 Sum2?", True),
        ("Show the pseudocode of Algorithm 2.", True),
        ("What is Algorithm 2?", True),
        ("Give me Algorithm 3", False),
        ("Who invented Algorithm 2?", False),
        ("Give me Table 3", False),
        ("What are the steps of key generation?", False),
        ("Show Algorithm 2 in FIPS 203", True),
        ("Show Algorithm 2 in FIPS 204", False),
        ("Show Algorithm 2 Total", True),
        ("Show Algorithm 2 MAX2 and SUM7", False),
        ("Show Algorithm 2 SUM2", True),
    ],
)
def test_an_algorithm_that_is_asked_for(question: str, *, found: bool) -> None:
    """Under its number, and with no other name or document."""
    chunk = Chunk("x", "NIST.FIPS.203", "Algorithm 2 SUM2(a)\n1: add\n2: return", kind="algorithm")
    shown = looked_up(question, [item("c1", "Algorithm 2 is fast."), Evidence("c3", Hit(chunk))])

    assert ("c3" if found else "") == (shown.key if shown else "")
