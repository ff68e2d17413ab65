"""How many hits are judged, and which."""

import pytest

from research_agent.planning.filter.candidates import candidates, search_limit
from research_agent.types import Hit
from research_agent.types.question_plan import QuestionKind
from tests.fakes import chunk


def hits(*similarities: float | None) -> list[Hit]:
    return [Hit(chunk("text", i), 1 - i / 100, s) for i, s in enumerate(similarities)]


def numbers(found: tuple[Hit, ...]) -> list[int]:
    return [hit.chunk.order for hit in found]


@pytest.mark.parametrize(
    ("max_chunks", "oversample", "expected"),
    [(25, 1.6, 40), (10, 1.6, 16), (1, 1.6, 2), (10, 1.0, 10), (10, 0.5, 10), (5, 1.2, 6)],
)
def test_limit_is_rounded_up(max_chunks: int, oversample: float, expected: int) -> None:
    """Five times 1.2 is six, whatever floating point makes of it."""
    assert expected == search_limit(max_chunks, oversample)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("look-up", 13), ("definition", 16), ("attribute", 16), ("comparison", 19), ("general", 16)],
)
def test_kind_of_question_moves_the_limit(kind: QuestionKind, expected: int) -> None:
    """Only where it is adaptive."""
    assert expected == search_limit(10, 1.6, kind=kind, adaptive=True)
    assert 16 == search_limit(10, 1.6, kind=kind)


def test_dissimilar_hits_take_no_place() -> None:
    """Those in front of the last candidate are named, those behind were never looked at."""
    found = candidates(hits(0.5, 0.05, 0.4, 0.0, 0.3, 0.02), limit=2, min_similarity=0.1)

    assert ([0, 2], [1]) == (numbers(found.hits), numbers(found.dissimilar))
    few = candidates(hits(0.5, 0.05, None, 0.0), limit=9, min_similarity=0.1)
    assert ([0, 2], [1, 3]) == (numbers(few.hits), numbers(few.dissimilar))
    assert () == candidates([], limit=5, min_similarity=0.1).hits


def test_surplus_ends_at_a_gap() -> None:
    """Wanted hits stay however far apart they are; without similarities nothing is cut."""
    given = hits(0.9, 0.5, 0.45, 0.39, 0.42)
    found = candidates(given, limit=5, min_similarity=0.0, wanted=2, gap=0.1)

    assert [0, 1, 2, 4] == numbers(found.hits)
    assert [0, 1, 2, 3, 4] == numbers(candidates(given, limit=5, min_similarity=0.0).hits)
    unknown = candidates(hits(None, None, 0.1), limit=3, min_similarity=0.0, wanted=2, gap=0.1)
    assert [0, 1, 2] == numbers(unknown.hits)
