"""Rows of answers, their figures with intervals, and two runs side by side."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from research_agent.errors import EvaluationError
from research_agent.evaluation.metrics import compared, summary_of
from research_agent.evaluation.ranking import Gold, Span, scores
from research_agent.evaluation.rows import CitationScore, EvalRow, SentenceScore, states
from research_agent.types.claims import Verdict


def row(qid: str = "q", **given: Any) -> EvalRow:  # noqa: ANN401 (any field)
    base = EvalRow(qid=qid, question=f"{qid}?", hits=3, asked=True, status="answered")
    return replace(base, **given)


def cited(*right: Literal[0, 1]) -> tuple[CitationScore, ...]:
    return tuple(
        CitationScore(doc_id="d", start_page=1, end_page=1, quote="", right=bool(one))
        for one in right
    )


def said(verdict: Verdict, *, has_fact: bool = False, quoted: bool = True) -> SentenceScore:
    return SentenceScore(text="x", verdict=verdict, quoted=quoted, has_fact=has_fact)


RIGHT = row("a", facts=(True, True), lost=("", "cited"), golds_cited=1, citations=cited(1, 0))
WRONG = row("b", facts=(True, False), lost=("filtered",), citations=cited(0))
REFUSED = row("c", facts=(False,), status="refused", lost=("retrieved",))
GOOD_REFUSAL = row("d", answerable=False, status="refused")
BAD_ANSWER = row("e", answerable=False, sentences=(said("unconfirmed"), said("supported")))


def means(*rows: EvalRow) -> dict[str, float]:
    return {one.name: round(one.mean, 3) for one in summary_of(rows).figures}


def test_answers_refusals_citations_and_golds_are_counted_by_their_definitions() -> None:
    found = means(RIGHT, WRONG, REFUSED, GOOD_REFUSAL, BAD_ANSWER)

    assert found["right"] == found["right_and_cited"] == 0.333
    assert (found["refused_wrongly"], found["refused_rightly"]) == (0.333, 0.5)
    assert (found["citation_precision"], found["citation_recall"]) == (0.25, 0.25)
    stages = [found[f"golds_{name}"] for name in ("retrieved", "filtered", "selected", "cited")]
    assert stages == [0.667, 0.333, 0.333, 0.167]
    assert found["unconfirmed_rightly"] == 0.5


def test_a_marked_sentence_is_wrongly_marked_where_it_states_a_fact() -> None:
    sentences = (
        said("unconfirmed", has_fact=True),
        said("supported", has_fact=True),
        said("contradicted", quoted=False),
    )
    found = means(row(facts=(True,), sentences=sentences))

    assert found["unconfirmed_wrongly"] == 0.5
    assert found["quotes_valid"] == 0.667


def test_nonsense_of_the_judge_and_failed_questions_count_apart() -> None:
    rows = [row("a", judged="right"), row("b", judged="nonsense"), row("c", error="down"), row("d")]

    found = summary_of(rows)

    assert (found.judged, found.nonsense, found.failed, found.unknown) == (1, 1, 1, 2)
    right = found.figure("right")
    assert right is not None
    assert (right.mean, right.questions) == (1.0, 1)


@pytest.mark.parametrize("rows", [[], [row(hits=0)], [row(error="down"), row(error="down")]])
def test_a_run_that_shows_nothing_is_invalid_and_not_zero(rows: list[EvalRow]) -> None:
    with pytest.raises(EvaluationError, match=r"not valid|every question failed"):
        summary_of(rows)


def test_doubt_is_measured_for_each_source_by_itself() -> None:
    def one(qid: str, value: float, source: str, *, right: bool) -> EvalRow:
        return row(qid, uncertainty=value, uncertainty_source=source, facts=(right,))

    rows = [
        one("a", 0.1, "logprobs", right=True),
        one("b", 0.3, "logprobs", right=True),
        one("c", 0.2, "logprobs", right=False),
        one("d", 0.9, "overlap", right=True),
    ]
    found = summary_of(rows)

    figure = found.figure("logprobs_auroc")
    assert figure is not None
    assert (figure.mean, figure.questions) == (0.5, 3)
    assert found.figure("overlap_auroc") is None
    assert [point.risk for point in found.curves["logprobs"]] == [0, 0.5, pytest.approx(1 / 3)]
    assert found.areas["overlap"] == 0.0


def test_two_runs_are_compared_by_pairs_with_mcnemar() -> None:
    old = [row(str(i), facts=(i < 2,), seconds=2.0) for i in range(10)]
    new = [row(str(i), facts=(i < 8,), seconds=1.0) for i in range(10)]

    found = {one.name: one for one in compared(old, [*new, row("other", facts=(False,))])}

    right = found["right"]
    assert (right.questions, right.gained, right.fewer, right.p) == (10, 6, 0, 0.03125)
    assert right.is_clear
    assert right.difference.mean == pytest.approx(0.6)
    assert found["seconds"].p is None
    assert found["seconds"].difference.high == -1.0
    with pytest.raises(EvaluationError, match="in common"):
        compared(old, [row("x")])


@pytest.mark.parametrize(
    ("answer", "wordings", "holds"),
    [
        ("The key has 1,184 bytes [c1].", ["1184"], True),
        ("The key has **1184** bytes.", ["1,184 Bytes"], True),
        ("It has 512bytes", ["512 bytes"], True),
        ("It has 15 bytes", ["5 bytes"], False),
        ("It has 5.5 bytes", ["5"], False),
        ("A universal rule", ["RSA"], False),
        ("Two keys", ["key"], True),
        ("第五条规定", ["五条"], True),
        ("", ["5"], False),
        ("four", ["5", "Four"], True),
    ],
)
def test_a_fact_is_stated_in_any_of_its_wordings(
    answer: str,
    wordings: list[str],
    holds: bool,  # noqa: FBT001 (a table)
) -> None:
    assert states(answer, wordings) == holds


def test_the_order_of_golds_in_a_file_changes_no_gain() -> None:
    """A hit that shows two places counts for the one that other hits show less."""
    hits = [Span("d", 1, 1), Span("d", 2, 2)]
    both, first = Gold((Span("d", 1, 2),)), Gold((Span("d", 1, 1),))
    found = [scores(hits, golds, (2,))["ndcg@2"] for golds in ((both, first), (first, both))]
    assert [1.0, 1.0] == found
