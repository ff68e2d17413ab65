"""Orders whose scores agree with them, and verdicts with gaps."""

import pytest

from research_agent.types import Chunk, Hit
from research_agent.types.reordering import best_first, by_verdicts, reordered


def hits(*scores: float) -> list[Hit]:
    return [Hit(Chunk(chr(97 + at), "d", ""), score) for at, score in enumerate(scores)]


def names(found: object) -> str:
    assert isinstance(found, tuple)
    return "".join(hit.chunk.chunk_id for hit in found)


def test_new_order_survives_sorting_by_score() -> None:
    """Also where the scores were equal, which would put the smaller id first."""
    found = reordered(hits(0.5, 0.5, 0.5, 0.1), [2, 0, 1, 3])

    assert "cabd" == names(found)
    assert "cabd" == names(best_first(found[::-1]))
    assert 0.1 == found[-1].score


def test_same_order_keeps_the_very_scores() -> None:
    """Nothing is lowered where nothing moved."""
    given = hits(0.5, 0.5)

    assert tuple(given) == reordered(given, [0, 1])


def test_equal_scores_go_by_chunk_id() -> None:
    """The order in which hits come decides nothing."""
    assert "abc" == names(best_first(hits(0.1, 0.1, 0.1)[::-1]))


@pytest.mark.parametrize(
    ("verdicts", "min_score", "expected"),
    [
        ([0.2, 0.9, 0.4], 0.0, "bcad"),
        ([0.2, None, 0.4, None], 0.0, "cbad"),
        ([0.5, 0.5, 0.5, 0.5], 0.0, "abcd"),
        ([0.2, 0.9, 0.4, 0.1], 0.4, "bc"),
        ([0.2, 0.3, 0.1, 0.0], 0.5, "b"),
        ([0.2, 0.2, 0.2, 0.2], 0.5, "a"),
        ([0.1, None, 0.2, 0.1], 0.5, "b"),
        ([None, None], 0.5, "abcd"),
        ([], 0.5, "abcd"),
    ],
    ids=[
        "best first",
        "no verdict keeps its place",
        "ties keep their order",
        "low ones go",
        "the best one stays",
        "of equal ones the first stays",
        "no verdict is no low verdict",
        "nothing known",
        "nobody asked",
    ],
)
def test_verdicts(verdicts: list[float | None], min_score: float, expected: str) -> None:
    """Verdicts order hits and drop them; what has none is left alone."""
    judged = by_verdicts(hits(0.4, 0.3, 0.2, 0.1), verdicts, min_score=min_score)

    assert expected == names(judged.hits)
    assert 4 - len(expected) == judged.dropped
    assert 4 - sum(verdict is not None for verdict in verdicts) == judged.unjudged


def test_no_hits() -> None:
    """There is nothing to order, and nothing to keep."""
    assert () == by_verdicts([], [], min_score=0.5).hits
