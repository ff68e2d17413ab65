"""Rankings of questions -> scores with intervals, per arm, and differences to the best peer."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from benchmarks.datasets import DataSet, Question
from benchmarks.intervals import Interval, mean_interval, paired_difference
from benchmarks.metrics import Gold, Level, Span, percentile, scores
from benchmarks.misses import Stages, miss_cause
from benchmarks.product import PRODUCT, stages
from benchmarks.rankings import Arm, Ranking, whole_documents

Values = Mapping[str, Sequence[float]]
"""Of each metric, one value a question."""
Wanted = Callable[[Question], tuple[Gold, ...]]
LEVELS: tuple[Level, ...] = ("strict", "near", "document")


def raw_gold(question: Question) -> tuple[Gold, ...]:
    """Return what the question set itself wants."""
    return question.golds


def accepted(question: Question) -> tuple[Gold, ...]:
    """Return what the revised key wants."""
    return question.accepted


def ranked(data: DataSet, ranking: Ranking) -> tuple[Span, ...]:
    """Return the places of a ranking as the data set counts them."""
    return whole_documents(ranking.spans) if data.by_document else ranking.spans


def values(
    data: DataSet, arm: Arm, wanted: Wanted = raw_gold, level: Level = "strict"
) -> dict[str, list[float]]:
    """Return the metrics of an arm, one value a question."""
    rows = [
        scores(ranked(data, arm.rankings[q.qid]), wanted(q), data.ks, level) for q in data.questions
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def intervals(of: Values) -> dict[str, Interval]:
    """Return mean and interval of each metric."""
    return {name: mean_interval(list(of[name])) for name in of}


def costs(arm: Arm, k: int) -> dict[str, float]:
    """Return time, and the size of the first `k` hits.

    `chars` is the mean over questions of all `k` together; `longest` and `over_two_pages` are of
    single hits, the latter a count.
    """
    rankings = list(arm.rankings.values())
    hits = [hit for ranking in rankings for hit in ranking.hits[:k]]
    times = [ranking.milliseconds for ranking in rankings]
    return {
        "chunks": arm.chunks,
        "p50_ms": round(percentile(times, 0.5), 1),
        "p95_ms": round(percentile(times, 0.95), 1),
        "chars": round(fmean(sum(hit.chars for hit in r.hits[:k]) for r in rankings)),
        "longest": max((hit.chars for hit in hits), default=0),
        "over_two_pages": sum(hit.span.end - hit.span.start > 1 for hit in hits),
    }


def against_best_peer(
    product: Values, peers: Mapping[str, Values]
) -> dict[str, tuple[str, Interval]]:
    """Return for each metric the peer with the best mean and the difference of the product to it.

    >>> against_best_peer({"r": [1.0]}, {"a": {"r": [0.5]}, "b": {"r": [0.0]}})
    {'r': ('a', Interval(mean=0.5, low=0.5, high=0.5))}
    """
    differences: dict[str, tuple[str, Interval]] = {}
    for metric, ours in product.items():
        best = max(peers, key=lambda name: fmean(peers[name][metric]), default="")
        if best:
            differences[metric] = (best, paired_difference(ours, peers[best][metric]))
    return differences


def miss_causes(data: DataSet, own: Sequence[Arm], qid: str) -> list[str]:
    """Return for each gold of a question at which stage it was lost, or "found"."""
    question = next(q for q in data.questions if q.qid == qid)
    seen = stages(own, qid)
    if data.by_document:
        candidates = tuple(whole_documents(ranking) for ranking in seen.candidates)
        seen = Stages(candidates, whole_documents(seen.fused), whole_documents(seen.final))
    return [miss_cause(gold, seen, data.ks[-1]) for gold in question.golds]


def by_kind(data: DataSet, arm: Arm) -> dict[str, dict[str, float]]:
    """Return the mean metrics of each kind of question; empty where questions have no kind."""
    of = values(data, arm)
    kinds: dict[str, dict[str, float]] = {}
    for kind in dict.fromkeys(q.kind for q in data.questions if q.kind):
        chosen = [i for i, q in enumerate(data.questions) if q.kind == kind]
        kinds[kind] = {name: round(fmean(of[name][i] for i in chosen), 3) for name in of}
        kinds[kind]["questions"] = len(chosen)
    return kinds


def summary(data: DataSet, own: Sequence[Arm], peers: Sequence[Arm]) -> dict[str, object]:
    """Return everything that is kept about a run over one data set, as JSON values."""
    arms = [*own, *peers]
    strict = {arm.name: values(data, arm) for arm in arms}
    causes = Counter(c for q in data.questions for c in miss_causes(data, own, q.qid))
    told: dict[str, object] = {
        "data_set": data.name,
        "questions": len(data.questions),
        "product": PRODUCT,
        "scores": {name: _json(intervals(of)) for name, of in strict.items()},
        "costs": {arm.name: costs(arm, data.ks[-1]) for arm in arms},
        "peers": [arm.name for arm in peers],
        "product_minus_best_peer": {
            metric: {"peer": name, **_numbers(interval)}
            for metric, (name, interval) in against_best_peer(
                strict[PRODUCT], {arm.name: strict[arm.name] for arm in peers}
            ).items()
        },
        "golds": dict(causes),
    }
    if not data.by_document:
        told["levels"] = {
            level: {arm.name: _json(intervals(values(data, arm, raw_gold, level))) for arm in arms}
            for level in LEVELS[1:]
        }
    if any(q.accepted for q in data.questions):
        told["accepted"] = {arm.name: _json(intervals(values(data, arm, accepted))) for arm in arms}
    if kinds := {arm.name: by_kind(data, arm) for arm in arms if by_kind(data, arm)}:
        told["kinds"] = kinds
    return told


def _json(of: Mapping[str, Interval]) -> dict[str, dict[str, float]]:
    return {name: _numbers(interval) for name, interval in of.items()}


def _numbers(interval: Interval) -> dict[str, float]:
    return {
        "mean": round(interval.mean, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
    }
