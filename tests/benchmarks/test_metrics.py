"""Metrics of rankings: equality with trec_eval, values by hand, and edges."""

import random
from importlib.util import find_spec

import pytest

from benchmarks.metrics import Gold, Span, first_ranks, ndcg, percentile, recall, reciprocal_rank
from benchmarks.metrics import scores as all_scores
from tests.needed import missing

KS = (1, 3, 5, 8, 10)
A, B, C = Span("a"), Span("b"), Span("c")


def gold(*spans: Span, grade: int = 1) -> Gold:
    return Gold(spans, grade)


def random_case(seed: int) -> tuple[list[Span], list[Gold]]:
    """Return a run of documents and graded golds; some golds are not in the run."""
    dice = random.Random(seed)  # noqa: S311 (no secret)
    names = [f"d{i}" for i in range(40)]
    hits = [Span(name) for name in dice.sample(names, dice.randint(0, 30))]
    golds = [gold(Span(n), grade=dice.randint(1, 4)) for n in dice.sample(names, 8)]
    return hits, golds[: dice.randint(1, 8)]


def trec_eval(hits: list[Span], golds: list[Gold], k: int) -> tuple[float, float, float]:
    """Return recall, reciprocal rank and nDCG as ir-measures computes them."""
    import ir_measures
    from ir_measures import RR, R, ScoredDoc, nDCG

    judged = [ir_measures.Qrel("q", one.spans[0].doc_id, one.grade) for one in golds]
    run = [ScoredDoc("q", hit.doc_id, 100.0 - i) for i, hit in enumerate(hits)]
    found = ir_measures.calc_aggregate([R @ k, RR @ k, nDCG @ k], judged, run)
    return float(found[R @ k]), float(found[RR @ k]), float(found[nDCG @ k])


@pytest.mark.parametrize("k", KS)
def test_equal_to_trec_eval_on_random_runs(k: int) -> None:
    """Recall, reciprocal rank and nDCG of documents are those of ir-measures, to 12 digits."""
    if find_spec("ir_measures") is None:
        missing("ir-measures is not installed (extra dev)")
    for seed in range(60):
        hits, golds = random_case(seed)
        ours = (recall(hits, golds, k), reciprocal_rank(hits, golds, k), ndcg(hits, golds, k))
        assert pytest.approx(trec_eval(hits, golds, k), abs=1e-12) == ours


def test_pages_match_strictly_nearly_or_not_at_all() -> None:
    """Overlap is strict, one page beside is near, and the document alone is the loosest."""
    hits = [Span("a", 9, 10)]
    wanted = {page: [gold(Span("a", page, page))] for page in (7, 8, 9, 10, 11, 12)}
    strict = [page for page in wanted if recall(hits, wanted[page], 1)]
    near = [page for page in wanted if recall(hits, wanted[page], 1, "near")]
    document = [page for page in wanted if recall(hits, wanted[page], 1, "document")]

    assert ([9, 10], [8, 9, 10, 11], [7, 8, 9, 10, 11, 12]) == (strict, near, document)
    assert 0.0 == recall([Span("b", 9, 10)], wanted[9], 1, "document")


def test_a_gold_is_found_once_and_any_of_its_spans_will_do() -> None:
    """Repeated hits add nothing to recall or gain; one of several accepted spans is enough."""
    golds = [gold(A), gold(B, C)]

    assert 0.5 == recall([A, A, A], golds, 8)
    assert 1.0 == recall([C, A], golds, 8)
    assert (2, 1) == first_ranks([C, A], golds)
    assert ndcg([A], golds, 8) == ndcg([A, A, A], golds, 8)


def test_ndcg_by_hand() -> None:
    """Grades are gains, and a hit earns the best gold that is left."""
    golds = [gold(A, grade=3), gold(B, grade=1)]
    ideal = 3 + 1 / 1.584962500721156

    assert pytest.approx((1 + 3 / 1.584962500721156) / ideal) == ndcg([B, A], golds, 8)
    assert pytest.approx(3 / ideal) == ndcg([A, C], golds, 8)
    assert 1.0 == ndcg([A, B], golds, 8)


def test_ndcg_of_overlapping_golds_never_passes_one() -> None:
    """A hit on pages of two golds earns one of them; the next hit on both earns the other."""
    golds = [gold(Span("a", 1, 2)), gold(Span("a", 2, 3))]
    hits = [Span("a", 2, 2), Span("a", 2, 2)]

    assert 1.0 == ndcg(hits, golds, 8)
    assert 1.0 == recall(hits, golds, 1)
    assert 1.0 > ndcg(hits[:1], golds, 8)


def test_edges() -> None:
    """Without golds or hits everything is 0; k may be larger than the run."""
    assert (0.0, 0.0, 0.0) == (recall([A], [], 8), reciprocal_rank([A], [], 8), ndcg([A], [], 8))
    assert {"recall@1": 0.0, "mrr@1": 0.0, "ndcg@1": 0.0} == all_scores([], [gold(A)], [1])
    assert 1.0 == recall([A], [gold(A)], 1000) == ndcg([A], [gold(A)], 1000)
    assert 0.0 == reciprocal_rank([B, B, A], [gold(A)], 2)
    assert (0.0, 2.0) == (percentile([], 0.5), percentile([2.0], 0.95))
