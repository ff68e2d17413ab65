"""What the command line says about an answer's cost and its fallbacks."""

import json
from dataclasses import replace
from typing import Any

import pytest

from research_agent.answering.events import TELLERS, Known
from research_agent.interfaces.cli.ask import Show, _print, cost_line
from research_agent.interfaces.cli.terminal import result_text
from research_agent.types import Probe
from research_agent.types.calls import Found
from research_agent.types.filtering import FilterStats
from research_agent.types.result import Conflict
from research_agent.types.uncertainty import Unsure
from research_agent.types.verification import Answer
from tests.graphs.serving import Server, paid, run


def test_cost_line_tells_what_there_is() -> None:
    """Failed and reused calls and money are told where there are any."""
    result, _ = run(Server().ports(), paid(llm_calls=2))
    plain = cost_line(result)
    usage = replace(result.usage, failed_calls=1, retries=2, reused_calls=3, cost=0.012345)
    full = cost_line(replace(result, usage=usage))

    assert plain.startswith("answered (budget_llm_calls) in 0.0 s: 1 round, 2 model calls, ")
    assert "2 model calls, 1 failed, 2 tried again, 3 replies reused, " in full
    assert full.endswith(", cost 0.01235")
    assert not [word for word in ("failed", "again", "reused", "cost") if word in plain]


@pytest.mark.parametrize(
    ("step", "written", "line"),
    [
        ("retrieve", {"probe": Probe("q", failed=True)}, 'the search for "q" failed'),
        ("select_evidence", {"evidence": ()}, "0 chunks"),
        ("answer", {"answer": Answer(failed="budget_tokens")}, "not written (budget_tokens)"),
        (
            "collect",
            {
                "found": Found(
                    stats=FilterStats("llm", 9, 8, undecided=5, fallback="down"),
                    reason="planned",
                )
            },
            "kept 8 of 9 chunks (filter: llm, 5 not judged), planned",
        ),
    ],
)
def test_steps_tell_their_fallbacks(step: str, written: dict[str, Any], line: str) -> None:
    """A person sees what did not go as planned while it happens."""
    assert line == TELLERS[step](written, Known())[0]


def test_conflicts_stand_below_the_citations() -> None:
    """Both values, both documents with their dates and keys, and the other one's words."""
    result, _ = run(Server().ports())
    conflict = Conflict(
        claim="The hose bears 5 bar.",
        value="5 bar",
        key="c1",
        doc_id="guide",
        date="2024-08",
        other_value="7 bar",
        other_key="c3",
        other_doc_id="draft",
        other_date="",
        other_quote="It bears 7 bar.",
    )
    told = result_text(replace(result, conflicts=(conflict,)))

    assert result_text(result) == told.replace(
        "\nconflict: 5 bar in guide (2024-08) [c1], 7 bar in draft (no date) [c3]"
        '\n     "It bears 7 bar."',
        "",
    )
    assert result_text(result) != told


def test_a_person_is_told_what_is_unsure(capsys: pytest.CaptureFixture[str]) -> None:
    """In words, below the answer and beside it; the figures are in the JSON."""
    result, _ = run(Server().ports())
    unsure = (Unsure("unsure about the number 5", (0, 1), "number", 0.75, "logprobs", 1.25),)
    _print(replace(result, unsure=unsure), Show())
    plain = capsys.readouterr()
    _print(replace(result, unsure=unsure, status="answered"), Show(as_json=True))
    listed = json.loads(capsys.readouterr().out)["unsure"]

    assert "unsure" not in plain.out
    assert "unsure about the number 5" in plain.err.splitlines()
    assert [{"span": [0, 1], "nats": 1.25, "value": 0.75}] == [
        {name: one[name] for name in ("span", "nats", "value")} for one in listed
    ]
