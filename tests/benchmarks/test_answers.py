"""Answers of the product and its peers: rows, quotes, scores and what is kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import answers
from benchmarks.answers import cells, quotes, report_of, right, row_of
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from tests.data_sets import data_set
from tests.fakes import GOOD, QUESTION, ScriptedChat, ports, says

KEY = {
    "qid": "q1",
    "question": QUESTION,
    "answerable": True,
    "accepted_pages": [{"doc_id": "guide", "page": 1}],
    "needed": "any",
    "required_facts": [["1184"]],
    "forbidden_facts": [],
}
MISS = {"qid": "u1", "question": "What does it cost?", "answerable": False}


def row(qid: str, text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any field)
    """A row as the product keeps it, answered at page 1."""
    return {
        "qid": qid,
        "answer": text,
        "status": "answered",
        "answerable": qid[0] == "q",
        "citations": [{"doc_id": "guide", "start_page": 1, "end_page": 1}],
        "prompt_tokens": 90,
        "completion_tokens": 10,
        "llm_calls": 2,
        "model_seconds": 3.0,
    } | more


def test_sentences_with_valid_quotes_are_counted() -> None:
    """A quote is valid where it is at its place; moved it is not; a refusal has none."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), Settings(), load_prompts()) as agent:
        result = agent.ask(QUESTION)
    claim = result.claims[0]
    moved = replace(claim, quotes=tuple(replace(quote, start=1) for quote in claim.quotes))
    fields = row_of(KEY, result, 1.5)

    assert (1, 1, 1.5) == (fields["sentences"], fields["quoted"], fields["model_seconds"])
    assert {"sentences": 1, "quoted": 0} == quotes(replace(result, claims=(moved,)))
    assert {"sentences": 0, "quoted": 0} == quotes(replace(result, status="refused"))


def test_scores_of_a_system() -> None:
    """Facts, refusals, quotes, tokens and times are those of the rows."""
    data_set("nist-pqc")
    rows = [
        row("q1", "It has 1184 bytes [c1].", sentences=1, quoted=1),
        row("u1", "It costs 5 euro [c1].", sentences=2, quoted=1, model_seconds=5.0),
    ]
    of = cells(rows, [KEY, MISS])

    assert {"q1": 1.0} == right(rows, [KEY, MISS])
    assert ("1 of 1 (21 to 100 %)", "0 of 1 (0 to 79 %)") == (
        of["facts right"],
        of["refused rightly"],
    )
    assert "2 of 3 (21 to 94 %)" == of["sentences with valid quotes"]
    assert ("100", "2.0", "4.0") == (
        of["tokens a right answer"],
        of["calls"],
        of["seconds, median"],
    )


def test_report_puts_product_and_peer_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line each with the paired difference; of the peer what these weights answered."""
    data_set("nist-pqc")
    monkeypatch.setattr(answers, "RESULTS", tmp_path)
    keys = [KEY, MISS, {**KEY, "qid": "q012", "counted": False}]
    lines = (row("q1", "1184 bytes [c1]."), row("q012", "1184"))
    path = tmp_path / "answers-1.5b-default.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    late = row("q1", "", status="timeout", citations=[], arm="default", model="qwen-1.5b-q4")
    other = row("q1", "1184", arm="default", model="qwen-0.5b-q4")
    monkeypatch.setattr(
        answers, "recorded", lambda name: [late, other] if name == "LangChain" else []
    )

    ours, peer = report_of("1.5b", keys).split("\n")[-2:]

    assert ours.startswith(f"| research_agent | 1 + 0 | {2 * '1 of 1 (21 to 100 %) | '}- |")
    assert peer.startswith("| LangChain, default | 1 + 0 | 0 of 1 (0 to 79 %) | 0 of 1")
    assert peer.endswith("| +1.00 (+1.00 to +1.00) of 1 |")
