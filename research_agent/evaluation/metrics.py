"""Rows to figures: each metric with its 95 % interval, and two runs compared question by question.

A metric is a mean over the questions that it can be known of; how many these are is told with it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from research_agent.errors import EvaluationError
from research_agent.evaluation.intervals import (
    SEED,
    Interval,
    mean_interval,
    paired_difference,
    sign_test,
    wilson,
)
from research_agent.evaluation.risk import Coverage, area, auroc, risk_coverage
from research_agent.evaluation.rows import KS, STAGES, EvalRow
from research_agent.types.uncertainty import Rung

RESAMPLES = 1000
Value = Callable[[EvalRow], float | None]
"""What a metric is for one question; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of each question, of which the mean is told."""

    name: str
    about: str
    value: Value
    kind: Literal["mean", "share"] = "mean"
    """A share is had by a question or not: Wilson's interval, and McNemar's test between runs."""
    better: Literal["more", "less"] = "more"


def _share(flags: Sequence[bool | None]) -> float | None:
    return sum(map(bool, flags)) / len(flags) if flags else None


def _score(name: str) -> Metric:
    about = "golds among the first hits" if name.startswith("recall") else "order of the hits"
    return Metric(name, about, lambda row: row.scores.get(name))


def _still(at: int) -> Metric:
    """Return the share of a question's golds that are there after a stage."""
    until = STAGES[: at + 1]

    def value(row: EvalRow) -> float | None:
        known = not row.error and (row.asked or not at)
        return _share([one not in until for one in row.lost]) if known else None

    return Metric(f"golds_{STAGES[at]}", f"golds that are there once hits are {STAGES[at]}", value)


def _spent(name: str, about: str) -> Metric:
    """Return a cost; of the money of a question without a call nothing is known."""

    def value(row: EvalRow) -> float | None:
        return None if name == "cost" and not row.llm_calls else _if(row, getattr(row, name))

    return Metric(name, about, value, better="less")


def _if(row: EvalRow, value: float | None, *, answerable: bool | None = None) -> float | None:
    """Return `value` of a row with an answer, to a question of that kind."""
    fits = answerable is None or row.answerable == answerable
    return value if row.asked and not row.error and fits else None


def _right(row: EvalRow) -> float | None:
    return _if(row, row.right, answerable=True)


def _right_and_cited(row: EvalRow) -> float | None:
    right = _right(row) if row.lost else None
    return None if right is None else right * bool(row.golds_cited)


def _marked_right(row: EvalRow) -> float | None:
    marked = [one.verdict != "supported" for one in row.sentences if one.has_fact]
    return _if(row, _share(marked), answerable=True)


def _marked_wrong(row: EvalRow) -> float | None:
    """Return the marked share of an answer to an unanswerable question: all of it is wrong."""
    return _if(row, _share([x.verdict != "supported" for x in row.sentences]), answerable=False)


def _golds_cited(row: EvalRow) -> float | None:
    return None if row.refused or not row.lost else _if(row, row.golds_cited / len(row.lost))


def _refused(*, answerable: bool) -> Value:
    return lambda row: _if(row, row.refused, answerable=answerable)


METRICS: tuple[Metric, ...] = (
    *(_score(f"recall@{k}") for k in KS),
    _score(f"mrr@{KS[-1]}"),
    _score(f"ndcg@{KS[-1]}"),
    *map(_still, range(len(STAGES))),
    Metric("right", "answerable questions answered rightly", _right, "share"),
    Metric("right_and_cited", "the same, with a gold cited", _right_and_cited, "share"),
    Metric("refused_wrongly", "refused, if answerable", _refused(answerable=True), "share", "less"),
    Metric("refused_rightly", "refused, if unanswerable", _refused(answerable=False), "share"),
    Metric(
        "citation_precision",
        "citations at a gold or accepted place",
        lambda row: _share([one.right for one in row.citations if one.right is not None]),
    ),
    Metric("citation_recall", "golds cited, of questions with an answer", _golds_cited),
    Metric(
        "quotes_valid",
        "sentences whose quotes are in their documents, letter by letter",
        lambda row: _share([one.quoted for one in row.sentences]),
    ),
    Metric("unconfirmed_wrongly", "marked, of sentences with a fact", _marked_right, better="less"),
    Metric("unconfirmed_rightly", "marked, of answers where there is none", _marked_wrong),
    _spent("llm_calls", "model calls a question"),
    _spent("prompt_tokens", "tokens read a question"),
    _spent("completion_tokens", "tokens written"),
    _spent("seconds", "seconds a question"),
    _spent("cost", "money a question, in the unit of models.prices"),
)
NAMES = (
    *(metric.name for metric in METRICS),
    *(f"{source}_auroc" for source in ("answerable", *get_args(Rung))),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric over the questions that it is known of, with its 95 % interval."""

    name: str
    about: str
    mean: float
    low: float
    high: float
    questions: int
    better: Literal["more", "less"] = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of a run."""

    questions: int
    answerable: int
    failed: int
    """Questions that ended with an error; they count in no metric of answers."""
    judged: int
    """Answers that a judge model found right or wrong."""
    nonsense: int
    """Those that it said nothing usable of; whether they are right is not known."""
    unknown: int
    """Answers to answerable questions that neither facts nor a judge say anything of."""
    figures: tuple[Figure, ...]
    lost: Mapping[str, int]
    """Golds by the stage at which they were lost; "" for those that came through."""
    tokens_a_right_answer: float | None = None
    curves: Mapping[str, tuple[Coverage, ...]] = field(default_factory=dict)
    """Risk at each coverage, for each measure of uncertainty."""
    areas: Mapping[str, float] = field(default_factory=dict)
    """The area below each curve; smaller is better."""

    def figure(self, name: str) -> Figure | None:
        """Return a metric's figure; None where no question has it."""
        return next((one for one in self.figures if one.name == name), None)


def summary_of(rows: Sequence[EvalRow], seed: int = SEED) -> Summary:
    """Return the figures of rows; `seed` is that of the bootstrap.

    Raises EvaluationError where nothing was retrieved, or every question failed.
    """
    if rows and all(row.error for row in rows):
        message = f"every question failed: {rows[0].error}"
        raise EvaluationError(message, hint="research-agent doctor names cures.")
    if not any(row.hits for row in rows):
        raise EvaluationError(
            "nothing was retrieved for any question: the run is not valid",
            hint="Is it the right index? research-agent documents --index NAME lists what it has.",
        )
    sources = _doubts(rows)
    curves = {source: risk_coverage(*of) for source, of in sources.items()}
    known = [row for row in rows if row.answerable and row.right is not None]
    right_ones = sum(bool(row.right) for row in known)
    tokens = sum(row.prompt_tokens + row.completion_tokens for row in known)
    return Summary(
        questions=len(rows),
        answerable=sum(row.answerable for row in rows),
        failed=sum(bool(row.error) for row in rows),
        judged=sum(row.judged in ("right", "wrong") for row in rows),
        nonsense=sum(row.judged == "nonsense" for row in rows),
        unknown=sum(row.asked and not row.error and row.right is None for row in rows),
        figures=(*_figures(rows, seed), *_aurocs(rows, sources, seed)),
        lost=dict(Counter(stage for row in rows if not row.error for stage in row.lost)),
        tokens_a_right_answer=tokens / right_ones if right_ones else None,
        curves=curves,
        areas={source: area(curve) for source, curve in curves.items()},
    )


def _values(metric: Metric, rows: Sequence[EvalRow]) -> dict[str, float]:
    return {row.qid: float(one) for row in rows if (one := metric.value(row)) is not None}


def _figures(rows: Sequence[EvalRow], seed: int) -> list[Figure]:
    found = []
    for metric in METRICS:
        if values := list(_values(metric, rows).values()):
            count, share = len(values), metric.kind == "share"
            mean = wilson(round(sum(values)), count) if share else mean_interval(values, seed=seed)
            figure = Figure(metric.name, metric.about, mean.mean, mean.low, mean.high, count)
            found.append(replace(figure, better=metric.better))
    return found


Told = tuple[list[float], list[bool]]
"""A value of each answer, and whether it is right."""


def _doubts(rows: Sequence[EvalRow]) -> dict[str, Told]:
    """Return doubt and rightness of the answers that were given, for each measure by itself."""
    found: dict[str, Told] = {}
    for row in rows:
        if row.uncertainty is not None and row.right is not None and not row.refused:
            doubts, right = found.setdefault(row.uncertainty_source, ([], []))
            doubts.append(row.uncertainty)
            right.append(row.right)
    return found


def _aurocs(rows: Sequence[EvalRow], doubts: Mapping[str, Told], seed: int) -> list[Figure]:
    """Return the figures that are of all answers together, with their bootstrap intervals.

    There is none where all are right, or none is.
    """
    import numpy as np

    chances = [(p, r.answerable) for r in rows if (p := r.answerable_probability) is not None]
    scored = {"answerable_auroc": ("answerable told apart by P(answerable)", chances)}
    for source, of in doubts.items():
        pairs = [(-doubt, right) for doubt, right in zip(*of, strict=True)]
        scored[f"{source}_auroc"] = (f"wrong answers told apart by doubt ({source})", pairs)
    found = []
    for name, (about, pairs) in scored.items():
        values, right = np.array([x for x, _ in pairs]), np.array([int(y) for _, y in pairs])
        if 0 < right.sum() < len(right):
            picks = np.random.default_rng(seed).integers(0, len(right), (RESAMPLES, len(right)))
            drawn = [auroc(values[some], right[some]) for some in picks]
            low, high = map(float, np.nanpercentile(drawn, [2.5, 97.5]))
            found.append(Figure(name, about, auroc(values, right), low, high, len(right)))
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of two runs on the questions that both have it of."""

    name: str
    old: float
    new: float
    difference: Interval
    """Of new less old, by a paired bootstrap."""
    questions: int
    gained: int
    """Questions with more than before."""
    fewer: int
    p: float | None
    """McNemar's exact test, of shares."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.difference.low > 0 or self.difference.high < 0


def in_common(old: Sequence[EvalRow], asked: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return ids and words of the questions that were asked before; raises EvaluationError."""
    if both := {(row.qid, row.question) for row in old}.intersection(asked):
        return both
    hint = "Compare runs over the same question set."
    raise EvaluationError("the two runs have no question in common", hint=hint)


def compared(
    old: Sequence[EvalRow], new: Sequence[EvalRow], seed: int = SEED
) -> tuple[Difference, ...]:
    """Return what changed between two runs, on the questions with the same id and words.

    Raises EvaluationError where they have none in common.
    """
    both = in_common(old, [(row.qid, row.question) for row in new])
    found = []
    for metric in METRICS:
        before, after = _values(metric, old), _values(metric, new)
        ids = [qid for qid, _ in sorted(both) if qid in before and qid in after]
        if not ids:
            continue
        then, now = [before[qid] for qid in ids], [after[qid] for qid in ids]
        gap = paired_difference(now, then, seed=seed)
        gained = sum(x > y for x, y in zip(now, then, strict=True))
        fewer = sum(x < y for x, y in zip(now, then, strict=True))
        means, count = (sum(then) / len(ids), sum(now) / len(ids)), len(ids)
        p = sign_test(gained, fewer) if metric.kind == "share" else None
        found.append(Difference(metric.name, *means, gap, count, gained, fewer, p))
    return tuple(found)
