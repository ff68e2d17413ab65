"""Passages: what they are cut from, how they are chosen, and how they read."""

import pytest

from research_agent.answering.write.passages_of_evidence import (
    Passage,
    as_answer,
    as_evidence,
    chosen_passages,
    looked_up,
    passages_of,
    ranked_passages,
)
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import Evidence
from research_agent.types.question_words import ENGLISH

SIZES = "Table 3. Sizes in bytes\n | key | ciphertext\nKEM-512 | 800 | 768\nKEM-768 | 1184 | 1088"
STEPS = "Algorithm 2 Sum(a, b)\nInput: numbers.\n1: c = a + b\n2: d = c\n3: return d"


def item(key: str, text: str, kind: str = "text") -> Evidence:
    """Return a piece of evidence."""
    return Evidence(key, Hit(Chunk(key, "doc", text, kind=kind)))  # type: ignore[arg-type]  # (a kind)


def test_sentences_rows_and_whole_algorithms() -> None:
    """Text is cut into sentences, tables into rows with their head, algorithms stay whole."""
    found = passages_of(
        [
            item("c1", "The key has 1184 bytes. It is public, as all know."),
            item("c2", SIZES, "table"),
            item("c3", STEPS, "algorithm"),
        ]
    )

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


def test_lines_without_words_are_no_passages() -> None:
    """A page number or a rule says nothing by itself."""
    assert ["The key has a size."] == [
        p.text for p in passages_of([item("c1", "12.\n\n----\n\nThe key has a size.")])
    ]


def test_chinese_sentences_are_short() -> None:
    """A few characters are a sentence there."""
    assert ["密钥有1184字节。", "它是公开的。"] == [
        p.text for p in passages_of([item("c1", "密钥有1184字节。它是公开的。")])
    ]


def test_the_order_is_by_similarity_words_and_rank() -> None:
    """Words of the question and an early chunk make up for a lower cosine, within limits."""
    passages = [
        Passage("c1", 0, "Keys are large."),
        Passage("c1", 20, "The lattice is hard."),
        Passage("c2", 0, "The lattice is hard to break.", rank=1),
    ]

    def order(*similarities: float) -> list[tuple[str, int]]:
        ranked = ranked_passages("Is the lattice hard?", passages, similarities)
        return [(p.key, p.start) for p in ranked]

    assert [("c1", 20), ("c2", 0), ("c1", 0)] == order(0.3, 0.3, 0.3)
    assert [("c2", 0), ("c1", 20), ("c1", 0)] == order(0.3, 0.3, 0.4)
    assert [("c1", 0), ("c1", 20), ("c2", 0)] == order(0.9, 0.3, 0.3)


def test_what_fits_is_chosen_in_the_order_of_the_evidence() -> None:
    """A passage that is too long is passed over; the first always enters."""
    ranked = [
        Passage("c2", 0, "one two three four", rank=1),
        Passage("c1", 9, "five six seven eight nine ten"),
        Passage("c1", 0, "eleven twelve"),
    ]

    assert [("c1", 0), ("c2", 0)] == [
        (p.key, p.start) for p in chosen_passages(ranked, most=6, max_words=7)
    ]
    assert ["c2"] == [p.key for p in chosen_passages(ranked, most=6, max_words=1)]
    assert [9, 0] == [p.start for p in chosen_passages(ranked, most=2, max_words=99)]
    assert () == chosen_passages([], most=6, max_words=99)


def test_every_line_of_an_answer_has_its_key() -> None:
    """Steps and rows stand on lines of their own, and the head of a table stands once."""
    rows = [p for p in passages_of([item("c2", SIZES, "table")]) if "768" in p.text]
    whole = Passage("c3", 0, "1: c = a + b 2: d = c 3: return d")

    assert (
        "Table 3. Sizes in bytes [c2]\n| key | ciphertext [c2]\nKEM-512 | 800 | 768 [c2]\n"
        "KEM-768 | 1184 | 1088 [c2]\n1: c = a + b [c3]\n2: d = c [c3]\n3: return d [c3]"
    ) == as_answer([*rows, whole])


def test_evidence_of_passages_alone() -> None:
    """Keys stay, gaps are marked, and chunks without a passage are left out."""
    first = item("c1", "One thing is first. Two things follow. Three things are last.")
    second = item("c2", "Nothing is chosen here.")
    one, _, three = passages_of([first])

    short = as_evidence([one, three], [first, second])

    assert [("c1", "One thing is first.\n\u2026\nThree things are last.")] == [
        (kept.key, kept.hit.chunk.text) for kept in short
    ]


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("Give me Algorithm 2", ["c3"]),
        ("What are the steps in algorithm 2 Sum?", ["c3"]),
        ("Show the pseudocode of Algorithm 2.", ["c3"]),
        ("What is Algorithm 2?", ["c3"]),
        ("Give me Algorithm 3", []),
        ("Who invented Algorithm 2?", []),
        ("Give me Table 3", []),
        ("What are the steps of key generation?", []),
    ],
)
def test_an_algorithm_that_is_asked_for(question: str, keys: list[str]) -> None:
    """It has to be named by its number, and wanted itself."""
    evidence = [item("c1", "Algorithm 2 is fast."), item("c3", STEPS, "algorithm")]

    assert keys == [p.key for p in looked_up(question, evidence, [ENGLISH])]


@pytest.mark.parametrize(("named", "found"), [("FIPS 203", 1), ("FIPS 204", 0)])
def test_an_algorithm_of_another_document_is_not_shown(named: str, found: int) -> None:
    """Where the question names a standard, the algorithm has to be of that one."""
    chunk = Chunk("x", "NIST.FIPS.203", STEPS, kind="algorithm")
    evidence = [Evidence("c1", Hit(chunk))]

    assert found == len(looked_up(f"Show Algorithm 2 in {named}", evidence, [ENGLISH]))


@pytest.mark.parametrize(("name", "found"), [("Total", 1), ("MAX2 and SUM7", 0), ("SUM2", 1)])
def test_an_algorithm_of_another_name_is_not_shown(name: str, found: int) -> None:
    """The number alone is no match where a name was asked for; a word without form is none."""
    chunk = Chunk("x", "d", "Algorithm 2 SUM2(a)\n1: add\n2: return", kind="algorithm")
    evidence = [Evidence("c1", Hit(chunk))]

    assert found == len(looked_up(f"Show Algorithm 2 {name}", evidence, [ENGLISH]))
