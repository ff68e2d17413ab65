"""Blending: weights, guards and diagnostics."""

from collections.abc import Sequence
from math import exp, nan
from random import Random
from typing import get_args

import pytest

from research_agent.retrieval.reorder.blending_scales import Mode, Scale
from research_agent.types import Chunk, Hit
from research_agent.types.blending import Blended, BlendRule, blend, pool_size
from research_agent.types.reordering import best_first

MODES: tuple[Mode, ...] = get_args(Mode)


def seeded(seed: int) -> Random:
    """The same draws every time."""
    return Random(seed)  # noqa: S311 (no secret is drawn)


def hit(name: str, score: float) -> Hit:
    return Hit(Chunk(name, "d", ""), score)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


def blended(
    hits: Sequence[Hit], second: dict[str, float], alpha: float, mode: Mode = "rank", pool: int = 99
) -> Blended:
    return blend(hits, second, BlendRule(alpha=alpha, top_k=5, pool=pool, scale=Scale(mode)))


def draw(dice: Random) -> tuple[list[Hit], dict[str, float]]:
    """Hits with ties, and a second channel with ties and gaps; neither is constant."""
    size = dice.randrange(3, 25)
    hits = [hit(f"c{i:02}", dice.randrange(8) / 8) for i in range(size)]
    second = {f"c{i:02}": dice.randrange(6) / 6 for i in range(size) if dice.random() < 0.8}
    return [*hits, hit("low", -1.0), hit("top", 2.0)], {**second, "low": 1.5, "top": 0.5}


@pytest.mark.parametrize("mode", MODES)
def test_alpha_one_keeps_the_order(mode: Mode) -> None:
    """All the weight on the first channel: the same hits with the same scores."""
    dice = seeded(1)
    for _ in range(60):
        hits, second = draw(dice)

        assert best_first(hits) == blended(hits, second, 1.0, mode).hits


@pytest.mark.parametrize("mode", MODES)
def test_alpha_zero_gives_the_second_channels_order(mode: Mode) -> None:
    """What it has no score for comes with its worst; its ties go by the first channel."""
    dice = seeded(2)
    for _ in range(60):
        hits, second = draw(dice)
        worst = min(second.values())
        wanted = sorted(best_first(hits), key=lambda hit: -second.get(hit.chunk.chunk_id, worst))

        assert ids(wanted) == ids(blended(hits, second, 0.0, mode).hits)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("alpha", [0.0, 0.4, 0.999])
def test_a_constant_channel_changes_nothing(mode: Mode, alpha: float) -> None:
    """The guard switches it off at any weight, and says so."""
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    for second in ({"a": 0.3, "b": 0.3, "c": 0.3}, {"b": 2.0}, {}):
        found = blended(hits, second, alpha, mode)

        assert tuple(hits) == found.hits
        assert "constant" == found.diagnostics.second
        assert (None, 0) == (found.diagnostics.spearman, found.diagnostics.changed)


def test_a_constant_first_channel_lets_the_second_decide() -> None:
    """A ranking that says nothing has no weight."""
    found = blended([hit("a", 0.5), hit("b", 0.5)], {"a": 0.1, "b": 0.2}, 0.9)

    assert ["b", "a"] == ids(found.hits)
    assert "constant" == found.diagnostics.first


def test_a_score_that_is_no_number_switches_the_channel_off() -> None:
    """Not the whole search."""
    found = blended([hit("a", 0.5), hit("b", 0.4)], {"a": nan, "b": 0.2}, 0.5)

    assert ["a", "b"] == ids(found.hits)
    assert "not finite" == found.diagnostics.second


@pytest.mark.parametrize("mode", MODES)
def test_order_of_the_input_does_not_matter(mode: Mode) -> None:
    """Shuffled hits and a shuffled channel give the same result, diagnostics included."""
    dice = seeded(3)
    for _ in range(60):
        hits, second = draw(dice)
        alpha = dice.random()
        mixed = dict(dice.sample(list(second.items()), len(second)))
        shuffled = dice.sample(hits, len(hits))

        assert blended(hits, second, alpha, mode) == blended(shuffled, mixed, alpha, mode)


def test_ranks_do_not_feel_monotone_changes() -> None:
    """Either channel may be stretched without any effect."""
    dice = seeded(4)
    for _ in range(60):
        hits, second = draw(dice)
        alpha = dice.random()
        stretched = {chunk_id: exp(3 * value) for chunk_id, value in second.items()}
        bent = [Hit(item.chunk, item.score**3) for item in hits]
        plain = ids(blended(hits, second, alpha).hits)

        assert plain == ids(blended(hits, stretched, alpha).hits)
        assert plain == ids(blended(bent, second, alpha).hits)


@pytest.mark.parametrize("mode", MODES)
def test_result_is_a_ranking(mode: Mode) -> None:
    """The same chunks, each once, with scores that keep the new order when sorted again."""
    dice = seeded(5)
    for _ in range(60):
        hits, second = draw(dice)
        found = blended(hits, second, 0.5, mode).hits

        assert sorted(ids(hits)) == sorted(ids(found))
        assert found == best_first(found)


def test_only_the_pool_moves() -> None:
    """A hit behind it keeps its place, however much the second channel likes it."""
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    found = blended(hits, {"a": 0.1, "b": 0.2, "c": 9.0}, 0.0, pool=2)

    assert ["b", "a", "c"] == ids(found.hits)
    assert (2, 2) == (found.diagnostics.pool, found.diagnostics.known)


def test_diagnostics() -> None:
    """What changed, and how far the channels agree."""
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    told = blended(hits, {"a": 1, "b": 2, "c": 3}, 0.25).diagnostics

    assert (("a", "b", "c"), ("c", "b", "a")) == (told.before, told.after)
    assert (2, -1.0, 3) == (told.changed, told.spearman, told.known)
    assert (0.25, "rank", "", "") == (told.alpha, told.mode, told.first, told.second)


def test_no_hits() -> None:
    """Nothing is found, and nothing breaks."""
    assert () == blended([], {}, 0.5).hits


@pytest.mark.parametrize("alpha", [-0.1, 1.1, nan])
def test_alpha_is_a_weight(alpha: float) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="weight"):
        BlendRule(alpha=alpha, top_k=1, pool=1)


@pytest.mark.parametrize(
    ("top_k", "corpus", "expected"), [(10, 1000, 50), (100, 1000, 200), (10, 7, 7), (0, 7, 0)]
)
def test_pool_size(top_k: int, corpus: int, expected: int) -> None:
    """The smallest of the three limits."""
    assert expected == pool_size(top_k, multiplier=5, largest=200, corpus=corpus)
