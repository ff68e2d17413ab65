"""Blending: one scale, weights, guards, diagnostics; codes by patterns."""

from collections.abc import Sequence
from math import exp, fsum, inf, nan
from random import Random
from typing import Literal

import pytest

from research_agent.retrieval.reorder import blend as blending
from research_agent.retrieval.reorder.blend import average_ranks, blend, scaled, spearman
from research_agent.retrieval.reorder.codes import Code, code_agreement, code_of, code_similarity
from research_agent.settings import BlendSettings
from research_agent.types import Chunk, Hit
from research_agent.types.fusion import best_first
from research_agent.types.retrieval import BlendDiagnostics

Mode = Literal["rank", "z-score", "min-max", "softmax"]
MODES: tuple[Mode, ...] = ("rank", "z-score", "min-max", "softmax")
EACH_MODE = pytest.mark.parametrize("mode", MODES)


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 (no secret is drawn)


@EACH_MODE
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0.3, 0.3, 0.3], "constant"),
        ([0.1 + 0.2, 0.3], "constant"),
        ([0.0, 0.0], "constant"),
        ([7.0], "constant"),
        ([], "constant"),
        ([1.0, nan], "not finite"),
        ([1.0, inf], "not finite"),
        ([1e308, -1e308], "not finite"),
    ],
)
def test_collapse_is_seen_in_every_mode(mode: Mode, values: list[float], why: str) -> None:
    assert ((0.0,) * len(values), why) == scaled(values, mode)


def test_values_on_each_scale() -> None:
    """Places, deviations, shares; and a temperature can flatten everything."""
    four = [1.0, 2.0, 3.0, 4.0]
    z = scaled(four, "z-score")[0]
    low, high = scaled([0.5, 0.6], "softmax", 0.5)[0]

    assert (1.0, 0.5, 0.5, 0.0) == scaled([9.0, 5.0, 5.0, 1.0], "rank")[0]
    assert pytest.approx((0.0, 4.0)) == (fsum(z), fsum(value * value for value in z))
    assert pytest.approx((0.0, 1 / 3, 2 / 3, 1.0)) == scaled(four, "min-max")[0]
    assert pytest.approx((1.0, exp(4))) == (low + high, high / low)
    assert "flat" == scaled([3.0, 2.0, 1.0], "softmax", 1e8)[1]


def test_rank_correlation() -> None:
    """Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 give 4.5 / sqrt(4.5 * 5); constants give none."""
    assert (3.5, 1.0, 3.5, 2.0) == average_ranks([1, 9, 1, 4])
    assert pytest.approx(4.5 / (4.5 * 5) ** 0.5) == spearman([9, 5, 5, 1], [8, 7, 6, 5])
    for left, right in (([1, 2, 3], [4, 4, 4]), ([4, 4, 4], [1, 2, 3]), ([1], [1]), ([], [])):
        assert None is spearman(left, right)
    dice = seeded(5)
    for _ in range(30):
        one, two = ([float(dice.randrange(6)) for _ in range(20)] for _ in range(2))
        plain, turned = spearman(one, two) or 0.0, spearman(one, [-value for value in two])
        assert plain == spearman([value**3 for value in one], two)
        assert -plain == (turned or 0.0)


def hit(name: str, score: float) -> Hit:
    return Hit(Chunk(name, "d", ""), score)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


def blended(
    hits: Sequence[Hit], second: dict[str, float], alpha: float, mode: Mode = "rank"
) -> tuple[tuple[Hit, ...], BlendDiagnostics]:
    return blend(hits, second, BlendSettings(alpha=alpha, scale=mode), top_k=5)


def draw(dice: Random) -> tuple[list[Hit], dict[str, float]]:
    """Hits with ties, and a second channel with ties and gaps; neither is constant."""
    size = dice.randrange(3, 25)
    hits = [hit(f"c{i:02}", dice.randrange(8) / 8) for i in range(size)]
    second = {f"c{i:02}": dice.randrange(6) / 6 for i in range(size) if dice.random() < 0.8}
    return [*hits, hit("low", -1.0), hit("top", 2.0)], {**second, "low": 1.5, "top": 0.5}


@EACH_MODE
def test_weights_of_any_ranking(mode: Mode) -> None:
    """Alpha 1 keeps all, 0 gives the second channel's order; input order changes nothing."""
    dice = seeded(1)
    for _ in range(60):
        hits, second = draw(dice)
        worst = min(second.values())
        wanted = sorted(best_first(hits), key=lambda hit: -second.get(hit.chunk.chunk_id, worst))
        mixed = dict(dice.sample(list(second.items()), len(second)))
        found = blended(hits, second, alpha := dice.random(), mode)

        assert best_first(hits) == blended(hits, second, 1.0, mode)[0]
        assert ids(wanted) == ids(blended(hits, second, 0.0, mode)[0])
        assert found == blended(dice.sample(hits, len(hits)), mixed, alpha, mode)
        assert sorted(ids(hits)) == sorted(ids(found[0]))
        assert found[0] == best_first(found[0])


@EACH_MODE
@pytest.mark.parametrize("alpha", [0.0, 0.4, 0.999])
def test_a_constant_channel_changes_nothing(mode: Mode, alpha: float) -> None:
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    for second in ({"a": 0.3, "b": 0.3, "c": 0.3}, {"b": 2.0}, {}):
        found, told = blended(hits, second, alpha, mode)

        assert tuple(hits) == found
        assert ("constant", None, 0) == (told.second, told.spearman, told.changed)


def test_one_channel_decides_where_the_other_is_off() -> None:
    equal = blended([hit("a", 0.5), hit("b", 0.5)], {"a": 0.1, "b": 0.2}, 0.9)
    broken = blended([hit("a", 0.5), hit("b", 0.4)], {"a": nan, "b": 0.2}, 0.5)

    assert (["b", "a"], "constant") == (ids(equal[0]), equal[1].first)
    assert (["a", "b"], "not finite") == (ids(broken[0]), broken[1].second)
    assert () == blended([], {}, 0.5)[0]


def test_only_the_pool_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hit behind it keeps its rank, however much the second channel likes it."""
    monkeypatch.setattr(blending, "POOL", 2)
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    found, told = blended(hits, {"a": 0.1, "b": 0.2, "c": 9.0}, 0.0)

    assert ["b", "a", "c"] == ids(found)
    assert (2, 2) == (told.pool, told.known)


def test_diagnostics() -> None:
    hits = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.1)]
    _, told = blended(hits, {"a": 1, "b": 2, "c": 3}, 0.25)

    assert (("a", "b", "c"), ("c", "b", "a")) == (told.before, told.after)
    assert (2, -1.0, 3) == (told.changed, told.spearman, told.known)
    assert (0.25, "rank", "", "") == (told.alpha, told.mode, told.first, told.second)


HITS = [
    Hit(Chunk("a", "d", "Paint dries."), 0.9),
    Hit(Chunk("b", "d", "It sits.", title="Court"), 0.5),
]


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Court, court, court: painted music.", False, Code("art")),
        ("A court and a painting", False, Code("art")),
        ("An outlaw of ours", False, Code()),
        ("Bread.", False, Code()),
        ("How many bytes has an encapsulation key?", True, Code("software", "quantify")),
        ("It has 1184 bytes.", False, Code("", "quantify", "numeric")),
        ("Why does the boundary layer separate?", True, Code("mathematics", "explain")),
    ],
)
def test_codes_of_texts(text: str, *, question: bool, expected: Code) -> None:
    """Most different patterns win, from a word's beginning; questions have their own."""
    assert expected == code_of(text, question=question)


def test_similarity_of_codes() -> None:
    """The weight shared of the weight asked for; a chunk without a label is no match."""
    asked = Code("software", "define", "numeric")

    assert (1.0, 0.4, 0.0) == tuple(
        code_similarity(asked, code) for code in (asked, Code("software", "list"), Code())
    )
    assert 1.0 == code_similarity(Code(task="define"), Code("law", "define", "secure"))
    assert None is code_similarity(Code(), Code("law"))


def test_chunks_with_the_questions_code_agree() -> None:
    assert {"a": 0.0, "b": 0.5} == code_agreement("Which court?", HITS)
    assert {} == code_agreement("Hm?", HITS)
