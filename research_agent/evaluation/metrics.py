"""Rows to figures: each metric with its 95 % interval, and two runs compared question by question.

A metric is a mean over the questions that it can be known of; how many these are is told with it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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

RESAMPLES = 1000
Value = Callable[[EvalRow], float | None]
"""What a metric is for one question; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of each question, of which the mean is told."""

    name: str
    about: str
    value: Value
    is_share: bool = False
    """Each question has it or not: Wilson's interval, and McNemar's test between runs."""
    lower: bool = False
    """Less is better."""


def _score(name: str) -> Value:
    return lambda row: row.scores.get(name)


def _still(stage: int) -> Value:
    """Return the share of a question's golds that are there after a stage."""
    until = STAGES[: stage + 1]

    def value(row: EvalRow) -> float | None:
        if not row.lost or row.error or (stage and not row.asked):
            return None
        return _share([one not in until for one in row.lost])

    return value


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _if(row: EvalRow, *, answerable: bool, value: float | None) -> float | None:
    """Return `value` of an answered row of that kind."""
    known = row.asked and not row.error and row.answerable == answerable
    return value if known else None


def _right(row: EvalRow) -> float | None:
    return _if(row, answerable=True, value=None if row.right is None else float(row.right))


def _right_and_cited(row: EvalRow) -> float | None:
    right = _right(row) if row.lost else None
    return None if right is None else right * bool(row.golds_cited)


def _sentences(row: EvalRow, *, answerable: bool) -> float | None:
    """Return the share of marked sentences among those that are known to be right, or wrong.

    Right is known of a sentence with a required fact, wrong of all to an unanswerable question.
    """
    known = [one for one in row.sentences if not answerable or one.has_fact]
    marked = _share([one.verdict != "supported" for one in known])
    return _if(row, answerable=answerable, value=marked)


def _cited_golds(row: EvalRow) -> float | None:
    answered = row.lost and not row.refused
    return _if(row, answerable=True, value=row.golds_cited / len(row.lost) if answered else None)


def _spent(name: str) -> Value:
    return lambda row: getattr(row, name) if row.asked and not row.error else None


METRICS: tuple[Metric, ...] = (
    *(Metric(f"recall@{k}", f"golds among the first {k} hits", _score(f"recall@{k}")) for k in KS),
    Metric(f"mrr@{KS[-1]}", "1 / rank of the first hit on a gold", _score(f"mrr@{KS[-1]}")),
    Metric(f"ndcg@{KS[-1]}", "discounted gain of the hits", _score(f"ndcg@{KS[-1]}")),
    *(
        Metric(f"golds_{stage}", f"golds that are there once hits are {stage}", _still(at))
        for at, stage in enumerate(STAGES)
    ),
    Metric("right", "answerable questions answered rightly", _right, is_share=True),
    Metric("right_and_cited", "the same, with a gold cited", _right_and_cited, is_share=True),
    Metric(
        "refused_wrongly",
        "answerable questions refused",
        lambda row: _if(row, answerable=True, value=float(row.refused)),
        is_share=True,
        lower=True,
    ),
    Metric(
        "refused_rightly",
        "unanswerable questions refused",
        lambda row: _if(row, answerable=False, value=float(row.refused)),
        is_share=True,
    ),
    Metric(
        "citation_precision",
        "citations at a gold or accepted place",
        lambda row: _share([one.right for one in row.citations if one.right is not None]),
    ),
    Metric("citation_recall", "golds cited, of questions with an answer", _cited_golds),
    Metric(
        "quotes_valid",
        "sentences whose quotes are in their documents, letter by letter",
        lambda row: _share([one.quoted for one in row.sentences]),
    ),
    Metric(
        "unconfirmed_wrongly",
        "marked, of sentences with a required fact",
        lambda row: _sentences(row, answerable=True),
        lower=True,
    ),
    Metric(
        "unconfirmed_rightly",
        "marked, of sentences that answer an unanswerable question",
        lambda row: _sentences(row, answerable=False),
    ),
    Metric("llm_calls", "model calls a question", _spent("llm_calls"), lower=True),
    Metric("prompt_tokens", "tokens read a question", _spent("prompt_tokens"), lower=True),
    Metric("completion_tokens", "tokens written", _spent("completion_tokens"), lower=True),
    Metric("seconds", "seconds a question", _spent("seconds"), lower=True),
    Metric("cost", "money a question, in the unit of models.prices", _spent("cost"), lower=True),
)
NAMES = tuple(metric.name for metric in METRICS)
AUROC, ANSWERABLE_AUROC = "uncertainty_auroc", "answerable_auroc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric over all its questions."""

    name: str
    about: str
    mean: float
    low: float
    high: float
    """Ends of the 95 % interval."""
    questions: int
    """Those that it is known of."""
    lower: bool = False


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
    if not rows or not any(row.hits for row in rows):
        raise EvaluationError(
            "nothing was retrieved for any question: the run is not valid",
            hint="Is it the right index? research-agent documents --index NAME lists what it has.",
        )
    if all(row.error for row in rows):
        raise EvaluationError(
            f"every question failed: {rows[0].error}", hint="research-agent doctor names cures."
        )
    figures = [one for metric in METRICS if (one := _figure(metric, rows, seed))]
    sources = _doubts(rows)
    for source, (doubts, right) in sources.items():
        name = f"{AUROC}_{source}"
        figures += _auroc(name, "wrong answers told apart by doubt", _less(doubts), right, seed)
    told = [row for row in rows if row.answerable_probability is not None and not row.error]
    chances = [row.answerable_probability or 0.0 for row in told]
    is_answerable = [row.answerable for row in told]
    about = "answerable questions told apart by P(answerable)"
    figures += _auroc(ANSWERABLE_AUROC, about, chances, is_answerable, seed)
    curves = {source: risk_coverage(*of) for source, of in sources.items()}
    right_ones = sum(bool(row.right) for row in rows if row.answerable)
    tokens = sum(row.prompt_tokens + row.completion_tokens for row in rows if row.answerable)
    return Summary(
        questions=len(rows),
        answerable=sum(row.answerable for row in rows),
        failed=sum(bool(row.error) for row in rows),
        judged=sum(row.judged in ("right", "wrong") for row in rows),
        nonsense=sum(row.judged == "nonsense" for row in rows),
        unknown=sum(row.asked and not row.error and row.right is None for row in rows),
        figures=tuple(figures),
        lost=dict(Counter(stage for row in rows if not row.error for stage in row.lost)),
        tokens_a_right_answer=tokens / right_ones if right_ones else None,
        curves=curves,
        areas={source: area(curve) for source, curve in curves.items()},
    )


def _values(metric: Metric, rows: Sequence[EvalRow]) -> dict[str, float]:
    return {row.qid: float(one) for row in rows if (one := metric.value(row)) is not None}


def _figure(metric: Metric, rows: Sequence[EvalRow], seed: int) -> Figure | None:
    values = list(_values(metric, rows).values())
    if not values:
        return None
    share = metric.is_share
    found = wilson(round(sum(values)), len(values)) if share else mean_interval(values, seed=seed)
    return Figure(
        name=metric.name,
        about=metric.about,
        mean=found.mean,
        low=found.low,
        high=found.high,
        questions=len(values),
        lower=metric.lower,
    )


def _doubts(rows: Sequence[EvalRow]) -> dict[str, tuple[list[float], list[bool]]]:
    """Return doubt and rightness of the answers that were given, for each measure by itself."""
    found: dict[str, tuple[list[float], list[bool]]] = {}
    for row in rows:
        if row.uncertainty is not None and row.right is not None and not row.refused:
            doubts, right = found.setdefault(row.uncertainty_source, ([], []))
            doubts.append(row.uncertainty)
            right.append(row.right)
    return found


def _less(values: Sequence[float]) -> list[float]:
    return [-value for value in values]


def _auroc(
    name: str, about: str, values: Sequence[float], right: Sequence[bool], seed: int
) -> list[Figure]:
    """Return the figure with its bootstrap interval; none where all are right, or none is."""
    import numpy as np

    told, yes = np.array(values, dtype=float), np.array(right, dtype=np.int64)
    if not 0 < yes.sum() < len(yes):
        return []
    dice = np.random.default_rng(seed)
    picks = dice.integers(0, len(yes), (RESAMPLES, len(yes)))
    drawn = [auroc(told[some], yes[some]) for some in picks]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    mean = auroc(told, yes)
    return [
        Figure(
            name=name,
            about=about,
            mean=mean,
            low=float(low),
            high=float(high),
            questions=len(yes),
        )
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
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


def compared(
    old: Sequence[EvalRow], new: Sequence[EvalRow], seed: int = SEED
) -> tuple[Difference, ...]:
    """Return what changed between two runs, on the questions with the same id and words.

    Raises EvaluationError where they have none in common.
    """
    both = {(row.qid, row.question) for row in old} & {(row.qid, row.question) for row in new}
    if not both:
        raise EvaluationError(
            "the two runs have no question in common",
            hint="Compare runs over the same question set.",
        )
    known = {qid for qid, _ in both}
    found = []
    for metric in METRICS:
        before, after = _values(metric, old), _values(metric, new)
        ids = [qid for qid in after if qid in before and qid in known]
        if not ids:
            continue
        pairs = [(before[qid], after[qid]) for qid in ids]
        gained = sum(now > then for then, now in pairs)
        fewer = sum(now < then for then, now in pairs)
        found.append(
            Difference(
                name=metric.name,
                old=sum(then for then, _ in pairs) / len(pairs),
                new=sum(now for _, now in pairs) / len(pairs),
                difference=paired_difference(
                    [now for _, now in pairs], [then for then, _ in pairs], seed=seed
                ),
                questions=len(pairs),
                gained=gained,
                fewer=fewer,
                p=sign_test(gained, fewer) if metric.is_share else None,
            )
        )
    return tuple(found)
