"""Which stages are tried, and which stay: by the interval of the gain, else by the cost."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import pytest

from research_agent.evaluation.ablation import (
    SEARCHED,
    STAGES,
    Arm,
    Run,
    arms,
    chosen,
    gain_of,
    run_of,
)
from research_agent.evaluation.rows import EvalRow
from research_agent.presets import changed, with_preset
from research_agent.settings import Settings

FULL = with_preset(Settings(), "full")
GOOD, BAD, EVEN = [1.0] * 20, [0.0] * 20, [0.0, 1.0] * 10


def run(values: Sequence[float], tokens: float = 100.0) -> Run:
    return Run({f"q{at}": value for at, value in enumerate(values)}, (tokens, 3.0, 1.0))


def arm(*, adds: bool, **changes: object) -> Arm:
    named: Mapping[str, object] = changes or {"verify.judge": "all" if adds else "off"}
    return Arm(stage="judge", adds=adds, changes=named)


def test_every_stage_is_switched_to_what_it_is_not() -> None:
    tried = {one.stage: one for one in arms(FULL, searches=False)}

    assert set(STAGES) == set(tried)
    for name, adds, changes in (
        ("filter by the model", False, {"filter.mode": "score"}),
        ("reranking", True, {"rerank.mode": "cross-encoder"}),
        ("further rounds", False, {"budget.rounds": 1}),
    ):
        assert (adds, changes) == (tried[name].adds, tried[name].changes)
    for one in tried.values():
        assert changed(FULL, one.changes) != FULL
        assert all(type(attrgetter(key)(FULL)) is type(x) for key, x in one.changes.items())
    assert list(SEARCHED) == [one.stage for one in arms(FULL, searches=True)]
    assert ["preset local", "preset seed"] == [
        one.stage for one in arms(FULL, searches=False, presets=True)
    ]


@pytest.mark.parametrize(
    "case",
    [
        (True, BAD, GOOD, 900, "pays", True),
        (True, GOOD, BAD, 10, "harms", False),
        (False, GOOD, BAD, 10, "pays", False),
        (False, BAD, GOOD, 900, "harms", True),
        (True, EVEN, EVEN[::-1], 900, "no difference shown", False),
        (True, EVEN, EVEN[::-1], 10, "no difference shown", True),
        (False, EVEN, EVEN, 10, "no difference shown", True),
        (False, EVEN, EVEN, 100, "no difference shown", False),
    ],
)
def test_stage_stays_by_its_gain_and_where_none_is_shown_by_its_cost(case: tuple[Any, ...]) -> None:
    adds, base, other, tokens, verdict, takes = case
    found = gain_of(arm(adds=adds), run(base), run(other, tokens))

    assert (verdict, takes) == (found.verdict, found.takes)


def test_changes_are_taken_once_a_key_the_clearest_first() -> None:
    base = run(EVEN)
    cheaper = gain_of(arm(adds=False, **{"retrieval.mode": "lexical"}), base, run(EVEN, 1))
    better = gain_of(arm(adds=False, **{"retrieval.mode": "dense"}), run(BAD), run(GOOD))
    hidden = gain_of(arm(adds=False, **{"filter.max_expanded": 0}), base, run(EVEN, 1))

    assert {"retrieval.mode": "dense"} == chosen(FULL, [cheaper, better, hidden])


def test_what_is_compared_is_right_answers_and_refusals_with_all_that_they_cost() -> None:
    spent = {"prompt_tokens": 90, "completion_tokens": 10, "llm_calls": 4, "model_seconds": 2.0}
    right = EvalRow(qid="a", question="?", asked=True, facts=(True,), status="answered", **spent)  # type: ignore[arg-type]  # (numbers by name)
    refused = EvalRow(qid="b", question="?", asked=True, answerable=False, status="refused")
    failed = EvalRow(qid="c", question="?", asked=True, error="gone")
    searched = EvalRow(qid="d", question="?", scores={"ndcg@10": 0.5})

    assert Run({"a": 1.0, "b": 1.0}, (50.0, 2.0, 1.0)) == run_of(
        [right, refused, failed], searches=False
    )
    assert {"d": 0.5} == run_of([failed, searched], searches=True).values
