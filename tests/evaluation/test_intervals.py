"""Metrics equal to trec_eval's, and intervals as wide as theory says."""

import random
from importlib.util import find_spec
from math import sqrt
from statistics import NormalDist

import pytest

from research_agent.evaluation.intervals import (
    mean_interval,
    paired_difference,
    sign_test,
    wilson,
)
from research_agent.evaluation.ranking import Gold, Span, first_ranks, scores
from tests.needed import missing

A, B, C = Span("a"), Span("b"), Span("c")


def gold(*spans: Span, grade: int = 1) -> Gold:
    return Gold(spans, grade)


def of(hits: list[Span], golds: list[Gold], k: int) -> list[float]:
    """Return recall, reciprocal rank and nDCG at `k`."""
    return list(scores(hits, golds, [k]).values())


def trec_eval(hits: list[Span], golds: list[Gold], k: int) -> list[float]:
    import ir_measures
    from ir_measures import RR, R, ScoredDoc, nDCG

    judged = [ir_measures.Qrel("q", one.spans[0].doc_id, one.grade) for one in golds]
    run = [ScoredDoc("q", hit.doc_id, 100.0 - i) for i, hit in enumerate(hits)]
    found = ir_measures.calc_aggregate([R @ k, RR @ k, nDCG @ k], judged, run)
    return [float(found[measure]) for measure in (R @ k, RR @ k, nDCG @ k)]


@pytest.mark.parametrize("k", [1, 3, 5, 8, 10])
def test_equal_to_trec_eval_on_random_runs(k: int) -> None:
    """With graded golds of which some are not in the run, to 12 digits."""
    if find_spec("ir_measures") is None:
        missing("ir-measures is not installed (extra dev)")
    for seed in range(60):
        dice = random.Random(seed)  # noqa: S311 (no secret)
        names = [f"d{i}" for i in range(40)]
        hits = [Span(name) for name in dice.sample(names, dice.randint(0, 30))]
        golds = [gold(Span(n), grade=dice.randint(1, 4)) for n in dice.sample(names, 8)]
        golds = golds[: dice.randint(1, 8)]
        assert pytest.approx(trec_eval(hits, golds, k), abs=1e-12) == of(hits, golds, k)


def test_pages_match_where_they_overlap() -> None:
    """A page beside does not count, nor the same pages of another document."""
    found = [p for p in range(7, 13) if of([Span("a", 9, 10)], [gold(Span("a", p, p))], 1)[0]]
    assert [9, 10] == found
    assert 0.0 == of([Span("b", 9, 10)], [gold(Span("a", 9, 9))], 1)[0]


def test_a_gold_is_found_once_and_any_of_its_spans_will_do() -> None:
    """Repeated hits add nothing; a hit on pages of two golds earns one of them."""
    golds = [gold(A), gold(B, C)]
    assert of([A], golds, 8) == of([A, A, A], golds, 8)
    assert 1.0 == of([C, A], golds, 8)[0]
    assert (2, 1) == first_ranks([C, A], golds)
    both, hit = [gold(Span("a", 1, 2)), gold(Span("a", 2, 3))], Span("a", 2, 2)
    assert 1.0 == of([hit, hit], both, 8)[2] > of([hit], both, 8)[2]


def test_an_interval_is_the_same_in_every_run_and_as_wide_as_the_normal_one() -> None:
    """With 400 yes/no values it is that of the standard error, to one hundredth."""
    values = [1.0] * 100 + [0.0] * 300
    half = NormalDist().inv_cdf(0.975) * sqrt(0.25 * 0.75 / 400)
    found = mean_interval(values)
    assert found == mean_interval(values)
    assert (0.25 - half, 0.25 + half) == pytest.approx((found.low, found.high), abs=0.01)


def test_pairs_show_what_means_alone_do_not() -> None:
    """A small gain on every question is sure, although both means are not."""
    theirs = [i / 20 for i in range(20)]
    ours = [value + 0.02 for value in theirs]
    assert 0.02 == pytest.approx(paired_difference(ours, theirs).low)
    assert mean_interval(ours).low < mean_interval(theirs).high


@pytest.mark.parametrize(
    ("more", "fewer", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (1, 3, 0.625), (600, 600, 1.0)]
)
def test_a_split_that_is_uneven_by_chance(more: int, fewer: int, p: float) -> None:
    assert p == sign_test(more, fewer)


def test_a_share_of_none_or_all_has_an_interval_within_0_and_1() -> None:
    """Wilson's interval is not empty there; nothing to compare is an error."""
    none, every = wilson(0, 10), wilson(10, 10)
    assert (0.0, 0.2775, 0.7225, 1.0) == pytest.approx(
        (none.low, none.high, every.low, every.high), abs=1e-4
    )
    assert wilson(14, 14).high == 1  # (rounded, it would be a little more)
    with pytest.raises(ValueError, match="no trials"):
        wilson(0, 0)
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 1.0], [1.0])
