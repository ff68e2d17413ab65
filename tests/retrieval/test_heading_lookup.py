"""Algorithms and tables found by what stands above them."""

import pytest

from research_agent.retrieval.heading_lookup import MOST, LookUp, by_heading
from research_agent.types import Chunk, ChunkKind

STEPS = "\n1: add\n2: return"
ALGORITHMS: tuple[ChunkKind, ...] = ("algorithm", "code")


def algorithm(name: str, caption: str, *, doc_id: str = "tides", title: str = "") -> Chunk:
    return Chunk(
        name, doc_id, f"{caption}{STEPS}", section=(caption,), kind="algorithm", title=title
    )


def found(wanted: LookUp, chunks: list[Chunk], question: str = "") -> list[str]:
    return [chunk.chunk_id for chunk in by_heading(wanted, chunks, question)]


def test_label_has_to_be_the_whole_number() -> None:
    """Algorithm 1 is neither 12 nor 1.5, and a sentence about it is not the algorithm."""
    chunks = [
        algorithm("twelve", "Algorithm 12 Ebb(x)"),
        algorithm("part", "Algorithm 1.5 Ebb(x)"),
        Chunk("prose", "tides", "Algorithm 1 is fast."),
        algorithm("one", "Algorithm 1. Flood(x)"),
    ]

    assert ["one"] == found(LookUp(ALGORITHMS, "algorithm 1"), chunks)
    assert ["part"] == found(LookUp(ALGORITHMS, "Algorithm 1.5"), chunks)


def test_name_as_it_is_leads() -> None:
    """A longer name that begins so comes after it, one that only holds it does not count."""
    chunks = [
        algorithm("inner", "Algorithm 3 Tide.Read_internal(x)"),
        algorithm("other", "Algorithm 4 Tide.ReRead(x)"),
        algorithm("wanted", "Algorithm 5 Tide.Read(x)"),
    ]

    assert ["wanted"] == found(LookUp(ALGORITHMS, names=("Read",)), chunks)
    assert ["wanted", "inner"] == found(
        LookUp(ALGORITHMS, names=("Tide.Read", "Algorithm")), chunks
    )[:2]


def test_a_name_that_only_begins_a_heading_is_not_enough() -> None:
    """All functions of a scheme begin with its name; a question about the scheme wants none."""
    assert [] == found(
        LookUp(ALGORITHMS, names=("Tide",)), [algorithm("a", "Algorithm 1 Tide.Read")]
    )


def test_the_document_of_the_question_leads() -> None:
    """The same number in several documents: the words of the question tell them apart."""
    chunks = [
        algorithm("north", "Algorithm 1 Ebb(x)", doc_id="north", title="Tides of the north"),
        algorithm("south", "Algorithm 1 Flood(x)", doc_id="south", title="Tides of the south"),
    ]
    wanted = LookUp(ALGORITHMS, "Algorithm 1")

    assert ["south", "north"] == found(wanted, chunks, "Algorithm 1 of the south")
    assert ["north", "south"] == found(wanted, chunks, "Algorithm 1")


def test_kinds_are_kept_apart() -> None:
    """A table is no algorithm, though both may have the number 2."""
    table = Chunk("t", "d", "Table 2. Levels\n | low\nA | 1", kind="table")
    chunks = [table, algorithm("a", "Algorithm 2 Ebb(x)")]

    assert ["t"] == found(LookUp(("table",), "Table 2"), chunks)
    assert ["a"] == found(LookUp(ALGORITHMS, "Algorithm 2"), chunks)


def test_steps_in_running_text_count() -> None:
    """Where a parser saw no algorithm, its label at a line's beginning and its steps tell."""
    text = Chunk("text", "d", f"As follows.\n\nAlgorithm 2 Ebb(x){STEPS}\n\nAlgorithm 3 Flood(x)")

    assert ["text"] == found(LookUp(ALGORITHMS, "Algorithm 2"), [text])
    assert [] == found(LookUp(ALGORITHMS, "Algorithm 3"), [text])


@pytest.mark.parametrize(
    "wanted", [LookUp(()), LookUp(ALGORITHMS), LookUp(ALGORITHMS, "Algorithm 9")]
)
def test_nothing_wanted_finds_nothing(wanted: LookUp) -> None:
    """Also in chunks without text, section or title."""
    assert [] == found(wanted, [Chunk("empty", "d", ""), algorithm("a", "Algorithm 2 Ebb(x)")])


def test_no_more_than_a_ranking_holds() -> None:
    """A name in many headings is cut, in the order of the chunks."""
    chunks = [algorithm(f"{i:02}", f"Algorithm {i} Ebb(x)") for i in range(30)]

    assert [f"{i:02}" for i in range(MOST)] == found(LookUp(ALGORITHMS, names=("Ebb",)), chunks)
