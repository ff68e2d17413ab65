"""Rank fusion and reserved slots."""

import pytest

from research_agent.types import Hit, fusion
from tests.fakes import chunk


def hits(*names: str, score: float = 0.0) -> list[Hit]:
    return [Hit(chunk(name, doc_id=name), score or 1.0 / (i + 1)) for i, name in enumerate(names)]


def ids(found: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk.doc_id for hit in found]


def test_scores_are_those_of_the_paper() -> None:
    fused = fusion.reciprocal_rank_fusion([["a"], ["b", "a"]], rrf_k=60)

    assert pytest.approx(1 / 61 + 1 / 62) == fused[0].value
    assert ["a", "b"] == [item.chunk_id for item in fused]


def test_other_queries_cannot_push_out_the_own_words_best() -> None:
    own, other = hits("a", "b", "c", "d"), hits("x", "a", "y", "z")

    together = fusion.reserve_slots(own, [other], slot=3, each=2)

    assert ["a", "b"] == ids(together)[:2]
    assert {"c", "x", "y"} == set(ids(together)[2:5])
    assert "z" not in ids(together)
    assert ["x"] == ids(fusion.reserve_slots([], [other[:1]], slot=3, each=1))


def test_the_best_hit_of_another_query_moves_up_where_the_own_words_have_it_too() -> None:
    own = hits("a", "b", "c", "d", "e", "f")
    together = fusion.reserve_slots(own, [hits("f", "a", "y"), hits("f", "e", "z")], slot=3, each=1)

    assert ["a", "b", "c", "e", "f", "d"] == ids(together)
    assert together[2].score == together[3].score == together[4].score


def test_what_comes_last_comes_in_turn() -> None:
    own = hits("a", "b")

    together = fusion.put_last(own, [hits("b", "x", "y"), hits("z")])

    assert ["a", "b", "z", "x", "y"] == ids(together)
    assert sorted((hit.score for hit in together), reverse=True) == [h.score for h in together]
    assert ["x"] == ids(fusion.put_last([], [hits("x")]))


def test_weights_count() -> None:
    """A ranking of half the weight gives half the score; the order of rankings is nothing."""
    left = fusion.reciprocal_rank_fusion([["a"], ["b"]], rrf_k=4, weights=[1.0, 0.5])

    assert [("a", 0.2), ("b", 0.1)] == [(item.chunk_id, item.value) for item in left]
    assert left == fusion.reciprocal_rank_fusion([["b"], ["a"]], rrf_k=4, weights=[0.5, 1.0])


def test_falling_scores() -> None:
    values = fusion.falling([1.0, 1.0, 2.0, 0.0, 0.0])

    assert sorted(set(values), reverse=True) == list(values)
    assert (1.0, 0.0) == (values[0], values[3])
