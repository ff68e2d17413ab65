"""The measure of further rounds: what they fix and break, and what they cost."""

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.loop import Pair, chance_of, compared, table
from benchmarks.loop_sets import SETS

KEY = {"qid": "a", "question": "?", "answerable": True, "required_facts": [["1184"]]}
KEY |= {"counted": True, "accepted_pages": []}
PAIR = Pair(
    source="nist",
    way="two rounds",
    qid="a",
    rounds=2,
    right_before=False,
    right_after=True,
    changed=True,
    calls=2,
    tokens=900,
    seconds=20.0,
)


def row(answer: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (fields of a row)
    """Return an answer as it is kept."""
    costs = {"llm_calls": 2, "prompt_tokens": 500, "completion_tokens": 50, "model_seconds": 9.0}
    whole = {"qid": "a", "status": "answered", "answer": answer, "rounds": 1, "citations": []}
    return {**whole, **costs, **more}


def test_two_ways_of_one_question_are_compared() -> None:
    """Right by the scorer beside the data; costs are what the second way takes more."""
    after = row("1184 bytes", rounds=2, llm_calls=4, prompt_tokens=1500, model_seconds=29.5)
    nist = SETS["nist"]
    found = compared(nist, "two rounds", KEY, row("2400 bytes"), after)

    assert replace(PAIR, tokens=1000, seconds=20.5) == found
    same = compared(nist, "two rounds", KEY, row("1184"), row("1184"))
    assert (True, True, False, 0) == (
        same.right_before,
        same.right_after,
        same.changed,
        same.calls,
    )


@pytest.mark.parametrize(
    ("fixed", "broken", "chance"), [(0, 0, 1.0), (5, 0, 1 / 32), (1, 1, 0.75), (0, 3, 1.0)]
)
def test_chance_is_one_sided(fixed: int, broken: int, chance: float) -> None:
    """So many fixes or more, of all that was fixed or broken."""
    assert chance == chance_of(fixed, broken)


def test_the_table_counts_what_was_not_recorded() -> None:
    """Questions of one round are the same either way; costs are means of second rounds."""
    broken = replace(PAIR, qid="b", right_before=True, right_after=False, tokens=1100)
    once = replace(PAIR, qid="c", rounds=1, changed=False, right_before=True, calls=0, tokens=0)
    text = table([PAIR, broken, once], {"nist": 10, "hotpotqa": 5})

    cells = "| nist | two rounds | 3 | 7 | 2 | 2 | 2 | 1 | 1 | 0.75 | 2.0 | 1000 | 20 |"
    assert text.splitlines()[2:] == [cells]


def test_a_name_is_right_and_a_refusal_never() -> None:
    """HotpotQA has names, which stand in a given answer, word by word."""
    key = {"qid": "h", "question": "?", "answerable": True, "answer": "Delhi", "aliases": []}
    refused = row("not found in provided docs: Delhi", status="refused", rounds=2)
    found = compared(SETS["hotpotqa"], "two rounds", key, row("It is Delhi [c1]."), refused)

    assert (found.right_before, found.right_after) == (True, False)


def test_every_way_has_two_rounds_and_changes_the_check_alone() -> None:
    """A way differs from the set's settings in rounds and in `verify`."""
    for one in SETS.values():
        for way, settings in one.ways.items():
            same = replace(settings, budget=one.settings.budget, verify=one.settings.verify)
            assert (one.settings, 2) == (same, settings.budget.rounds), way
