"""Answers of the product and its peers: rows, quotes, gold taken out, scores and thresholds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import answers, answers_report
from benchmarks.answer_arms import ARMS, BASE, arm_named
from benchmarks.answers import REMOVED, arm, quotes, row_of
from benchmarks.answers_report import write_report
from benchmarks.answers_scoring import System, words_of
from benchmarks.answers_table import report
from benchmarks.gold_removed import asking_without, gold_chunks, leaked, removed_keys
from benchmarks.questions import read
from benchmarks.refusal_curve import Point, curve, curve_table, is_refused
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.ports import Ports
from research_agent.settings import Settings
from tests.data_sets import data_set
from tests.fakes import GOOD, QUESTION, TEXTS, ScriptedChat, chunk, ports, says

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


def with_contents(given: Ports) -> Ports:
    chunks = tuple(chunk(text, number) for number, text in enumerate(TEXTS))
    return replace(given, contents=lambda doc_id: chunks if doc_id == "guide" else ())


def row(qid: str, text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any field)
    """A row as the product keeps it, answered at page 1."""
    page = {"doc_id": "guide", "start_page": 1, "end_page": 1}
    return {
        "qid": qid,
        "answer": text,
        "status": "answered",
        "answerable": qid[0] == "q",
        "citations": [page],
        "p_answerable": 0.6,
        "min_answerable": 0.5,
        "prompt_tokens": 90,
        "completion_tokens": 10,
        "llm_calls": 2,
        "model_seconds": 3.0,
        "right": True,
    } | more


def test_arms_differ_from_the_default() -> None:
    """Every arm has a name of its own and changes something of the default."""
    assert len(ARMS) == len({one.name for one in ARMS})
    assert [ARMS[0]] == [one for one in ARMS if one.settings == BASE]
    assert 2 == arm_named("two-rounds").settings.budget.rounds


def test_name_of_a_run_tells_weights_arm_and_gold() -> None:
    """Rows of runs without gold pages are kept apart; the user's reply cache is off."""
    with_gold = arm("0.5b", "default", Settings())
    without = arm("0.5b", "default", Settings(), gold_removed=True)

    assert ("0.5b-default", f"0.5b-default{REMOVED}") == (with_gold.name, without.name)
    assert "off" == with_gold.settings.models.reply_cache.mode


def test_sentences_with_valid_quotes_are_counted() -> None:
    """A quote is valid where it stands at its place; moved it is not; a refusal has none."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), Settings(), load_prompts()) as agent:
        result = agent.ask(QUESTION)
    claim = result.claims[0]
    moved = replace(claim, quotes=tuple(replace(quote, start=1) for quote in claim.quotes))
    fields = row_of(KEY, result, 1.5)

    assert {"sentences": 1, "quoted": 1} == quotes(result)
    assert (1, 1, 1.5) == (fields["sentences"], fields["quoted"], fields["model_seconds"])
    assert {"sentences": 1, "quoted": 0} == quotes(replace(result, claims=(moved,)))
    assert {"sentences": 0, "quoted": 0} == quotes(replace(result, status="refused"))


def test_gold_pages_are_taken_out() -> None:
    """Without the chunks of its accepted pages a question never sees them again."""
    given = with_contents(ports(ScriptedChat(says(GOOD))))
    with ResearchAgent(given, Settings(), load_prompts()) as agent:
        whole = agent.ask(QUESTION)
    without = asking_without(given, Settings())(KEY)

    assert frozenset({"guide-0"}) == gold_chunks(KEY, given)
    assert 1 == leaked(whole, KEY)
    assert 0 == leaked(without, KEY)
    assert without.evidence
    assert "unconfirmed" == without.status


def test_removed_questions_have_no_answer() -> None:
    """Only answerable questions are asked without gold, and all of them are to be refused."""
    assert [{**KEY, "answerable": False}] == removed_keys([KEY, MISS])


def test_words_are_counted_without_markers() -> None:
    """Keys are no words; a number with separators is one."""
    assert ["ML-KEM-768", "has", "1,184"] == words_of("ML-KEM-768 has 1,184 [c1][2].")


def test_scores_of_a_system() -> None:
    """Facts, words, pages, quotes, tokens and times are those of the rows."""
    data_set("nist-pqc")
    rows = [
        row("q1", "It has 1184 bytes [c1].", sentences=1, quoted=1),
        row("u1", "It costs 5 euro [c1].", sentences=2, quoted=1, model_seconds=5.0),
    ]
    of = System("ours", rows, [KEY, MISS])

    assert {"q1": 1.0} == of.right
    assert 25.0 == of.facts_per_100_words
    assert [1.0] == of.precisions
    assert (2, 3) == of.quoted
    assert 100.0 == of.tokens_per_right
    assert (4.0, 2.0) == (of.mean("seconds", "model_seconds"), of.median("calls", "llm_calls"))
    assert of.mean("nothing") is None
    assert (1, 0) == (of.scores["facts_right"], of.scores["refused_right"])


def test_time_that_is_over_is_no_refusal() -> None:
    """A question without an answer in time is wrong, whether it has an answer or not."""
    data_set("nist-pqc")
    late = [row(qid, "", status="timeout", citations=[]) for qid in ("q1", "u1")]
    of = System("peer", late, [KEY, MISS])

    assert 2 == of.timeouts
    assert (0, 0) == (of.scores["facts_right"], of.scores["wrongly_refused"])
    assert (0, 1) == (of.scores["refused_right"], of.scores["answered_wrongly"])


def test_report_puts_product_and_peer_side_by_side() -> None:
    """The tables have a line each, the paired difference, and what does not count apart."""
    data_set("nist-pqc")
    keys = [KEY, MISS, {**KEY, "qid": "q012", "counted": False}]
    ours = System("ours", [row("q1", "1184 bytes [c1]."), row("q012", "1184")], keys)
    peer = System("peer", [row("q1", "", status="timeout", citations=[])], keys)

    lines = report([ours], [peer]).split("\n")

    assert "| ours | 1 + 0 | 1 of 1 (21 to 100 %) | 50.0 |" == lines[4][:46]
    assert lines[5].endswith("| 0 of 1 (0 to 79 %) | 1 |")
    assert "| ours | peer | 1 | 1 | 0 | +1.00 (+1.00 to +1.00) |" in lines
    assert "- ours: q012 right" == lines[-1]


def test_thresholds_trade_right_refusals_for_wrong_ones() -> None:
    """What the check decided follows the threshold; what another check refused stays refused."""
    rows = [
        row("q1", "1184", p_answerable=0.7),
        row("q2", "", status="refused", p_answerable=0.8, right=False),
        row("u1", "5 euro", p_answerable=0.55),
        row("u2", "", status="refused", p_answerable=0.3),
    ]
    removed = [row("q1", "x", p_answerable=0.4, status="refused")]
    points = curve(rows, removed)

    assert Point(0.5, 1, 1, 1, 1) == points[10]
    assert Point(0.6, 2, 1, 1, 1) == points[12]
    assert Point(0.0, 0, 0, 1, 1) == points[0]
    assert Point(1.0, 2, 1, 2, 0) == points[20]
    assert is_refused(row("q1", "", status="refused", p_answerable=None), 0.0)
    assert "| 0.00 to 0.30 | 0 of 2 (0 to 66 %) |" == curve_table(rows, removed).split("\n")[2][:37]


def test_fewer_rows_never_replace_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is whole or of a live run, and stays where a later run has less."""
    data_set("nist-pqc")
    monkeypatch.setattr(answers, "RESULTS", tmp_path)
    recorded, live = arm("1.5b", "default", BASE), arm("1.5b", "default", BASE, live=True)
    first, second = row("q1", "1184", decision="x"), row("u1", "5", decision="x")
    kept = tmp_path / "answers-1.5b-default.jsonl"

    assert not answers.write(recorded, [first], [KEY, MISS])["kept"]
    assert not kept.exists()
    assert answers.write(live, [first], [KEY, MISS])["kept"]
    assert answers.write(recorded, [first, second], [KEY, MISS])["kept"]
    assert not answers.write(live, [second], [KEY, MISS])["kept"]
    assert not answers.write(replace(live, limit=2), [first, second], [KEY, MISS])["kept"]
    assert 2 == len(read(kept))
    assert 1 == json.loads(kept.with_suffix(".json").read_text(encoding="utf-8"))["facts_right"]


def test_report_is_made_of_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of arms, of runs without gold and of peers are found, and the tables kept."""
    data_set("nist-pqc")
    monkeypatch.setattr(answers_report, "RESULTS", tmp_path)
    monkeypatch.setattr(answers_report, "nist_keys", lambda: [KEY, MISS])
    monkeypatch.setattr(
        answers_report,
        "recorded",
        lambda name: (
            [
                row("q1", "I don't know", arm="default", model="qwen-1.5b-q4", seconds=2.0),
                row("q1", "1184", arm="default", model="qwen-0.5b-q4", seconds=2.0),
            ]
            if name == "LangChain"
            else []
        ),
    )
    monkeypatch.setattr(answers, "RESULTS", tmp_path)
    ours = arm("1.5b", "default", Settings())
    answers.write(
        ours, [row("q1", "1184", decision="x"), row("u1", "5", decision="x")], [KEY, MISS]
    )
    removed = arm("1.5b", "default", Settings(), gold_removed=True)
    answers.write(removed, [row("q1", "5", leaked=1, decision="x")], [{**KEY, "answerable": False}])

    text = write_report("1.5b")

    assert f"{text}\n" == (tmp_path / "answers.md").read_text(encoding="utf-8")
    assert "| research_agent, default | LangChain, default | 1 | 1 | 0 |" in text
    assert "- default: refused 0 of 1 (0 to 79 %); gold in the evidence of 1" in text
    assert "### Thresholds of the refusal check, arm default" in text
