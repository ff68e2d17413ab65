"""`research-agent eval`: rows that go on where they were ended, figures, pages, bad input."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from research_agent import ResearchAgent, evaluate
from research_agent.errors import ModelUnavailableError
from research_agent.evaluation.questions import Question
from research_agent.evaluation.ranking import Gold, Span
from research_agent.interfaces.evaluation.kept import read_rows
from research_agent.interfaces.evaluation.running import EvalOptions
from tests.fakes import (
    BYPASSING,
    GOOD,
    PROMPTS,
    QUESTION,
    ScriptedChat,
    WordEmbedder,
    ports,
    says,
)
from tests.interfaces.commands import Model, index_of, printed, run, served
from tests.loopback import Json, Raw, text_reply

MANY = 30
BREADS = "# Breads\n\n" + "\n\n".join(
    f"## Bread{n}\n\nBread{n} is a bread of the north. "
    f"It is baked at {150 + n} degrees for {n} hours."
    for n in range(1, MANY + 1)
)
PAGES = ("summary.json", "report.md", "report.html")
HOSTILE = "<script>alert(1)</script>"


def row(number: int, **more: object) -> dict[str, object]:
    quote = f"It is baked at {150 + number} degrees for {number} hours"
    asked = {"qid": f"q{number}", "question": f"At how many degrees is Bread{number} baked?"}
    gold = [{"doc_id": "breads", "quote": quote}]
    return asked | {"gold": gold, "required_facts": [[f"{150 + number} degrees"]]} | more


UNANSWERABLE = {"qid": "no", "question": "Who bakes Bread1?", "answerable": False}
JUDGED = {
    "qid": "judged",
    "question": "How many hours is Bread3 baked?",
    "gold_answer": HOSTILE,
}


@dataclass
class Baker(Model):
    """Answers from the chunk of the bread that is asked for; judges as it is told to."""

    verdict_of_answer: str = '{"verdict": "wrong"}'
    seen: list[str] = field(default_factory=list)

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        if "Right answer:" in text:
            return text_reply(self.verdict_of_answer)
        asked = re.search(r"Question: [^?]*?(Bread\d+)", text)
        if asked is None or request["max_tokens"] == 1 or "response_format" in request:
            return super().reply(request)
        self.seen.append(asked[1])
        chunk = re.search(rf'key="(c\d+)"[^>]*>[^<]*?{asked[1]} is[^<]*?(It is [^<.]*)\.', text)
        return text_reply(f"{chunk[2]} [{chunk[1]}]." if chunk else "It is baked.")


home = index_of({"breads.md": BREADS})


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(there: Path, *rows: Mapping[str, object]) -> str:
    path = there / "set.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return "set.jsonl"


def figures(told: Any) -> dict[str, float]:  # noqa: ANN401 (JSON)
    return {name: round(of["mean"], 3) for name, of in told["figures"].items()}


def test_thirty_questions_are_answered_in_a_minute_and_measured(there: Path) -> None:
    asked = written(there, *(row(n) for n in range(1, MANY + 1)), UNANSWERABLE, JUDGED)
    started = time.monotonic()
    with served(Baker(), there) as config:
        done = run("eval", asked, "--config", config, "--json", "--parallel", "2")
    assert time.monotonic() - started < 60, done.stderr
    assert done.exit_code == 0, done.stderr

    told = printed(done)
    found = figures(told)
    assert (0, MANY + 2, 1, 0) == (
        done.exit_code,
        told["questions"],
        told["judged"],
        told["nonsense"],
    )
    assert "32 questions to ask: 65 to 1280 model calls" in done.stderr
    assert found["recall@10"] > 0.8
    assert found["right"] == pytest.approx(found["golds_cited"] * MANY / (MANY + 1), abs=0.02)
    assert 1.0 == found["quotes_valid"]
    rows = read_rows(there / "eval-set")
    assert {"wrong"} == {one.judged for one in rows if one.qid == "judged"}
    page = (there / "eval-set" / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "default-src &#39;none&#39;" in page
    assert not re.search(r"(?:src|href)=\"?http", page)


def test_retrieval_alone_asks_no_model_and_limits_decide_the_status(there: Path) -> None:
    asked, model = written(there, row(1), row(2, question=f"{HOSTILE} Bread2?")), Baker()
    with served(model, there) as config:
        given = ("eval", "--retrieval-only", asked, "--config", config)
        good = run(*given, "--fail-under", "recall@10=0.9")
        bad = run(*given, "--fail-under", "recall@10=1.1", "--fail-under", "right=0.5")
        odd = [run(*given, "--fail-under", f"{name}=1") for name in ("beauty", "beauty_auroc")]
        nan, negative = run(*given, "--fail-under", "right=nan"), run(*given, "--seed", "-1")
        dry = run(*given, "--dry-run", "--limit", "1", "--out", "other")

    assert (0, [], []) == (good.exit_code, model.asked, model.seen)
    assert "| recall@10 | 1.00 |" in good.stdout
    assert 6 == bad.exit_code
    assert "recall@10 is 1, and should be at least 1.1" in bad.stderr
    assert "right is not known of any question" in bad.stderr
    assert [2, 2] == [result.exit_code for result in odd]
    assert "no metric beauty_auroc; there are: recall@1," in odd[1].stderr
    assert [2, 2] == [nan.exit_code, negative.exit_code]
    assert "1 question to ask: no model is asked" in dry.stderr
    assert not (there / "other").exists()
    folder = there / "eval-set-retrieval"
    assert HOSTILE not in (folder / "report.html").read_text(encoding="utf-8")
    assert HOSTILE not in (folder / "report.md").read_text(encoding="utf-8")
    modes = {one.name: one.stat().st_mode & 0o77 for one in folder.iterdir() if one.name != "lock"}
    assert dict.fromkeys(("about.json", "rows.jsonl", *PAGES), 0) == modes


def test_rows_are_not_written_through_a_link_nor_forgotten_while_another_run_writes(
    there: Path,
) -> None:
    given = ("eval", "--retrieval-only", written(there, row(1)), "--out", "run")
    folder, other = there / "run", there / "other"
    folder.mkdir()
    (folder / "rows.jsonl").symlink_to(other)
    linked = run(*given)
    (folder / "rows.jsonl").unlink()
    (folder / "rows.jsonl").write_bytes(b"")
    with FileLock(folder / "lock"):
        busy = run(*given, "--restart")
    missed = run(*given, "--compare", "run", "--limit", "1")

    assert (1, False) == (linked.exit_code, other.exists())
    assert (1, True) == (busy.exit_code, (folder / "rows.jsonl").exists())
    assert "another evaluation writes to run" in busy.stderr
    assert "the two runs have no question in common" in missed.stderr
    assert b"" == (folder / "rows.jsonl").read_bytes()


def test_an_interrupted_run_goes_on_and_another_set_or_config_is_refused(there: Path) -> None:
    asked, model = written(there, row(1), row(2), row(3)), Baker()
    with served(model, there) as config:
        given = ("eval", asked, "--config", config)
        assert 0 == run(*given).exit_code
        kept = there / "eval-set" / "rows.jsonl"
        lines = kept.read_bytes().splitlines(keepends=True)
        kept.write_bytes(lines[0] + lines[1][:50])
        model.seen.clear()
        again = run(*given)
        seen = set(model.seen)
        settings = run(*given, "--set", "retrieval.top_k=5")
        dry = run(*given, "--set", "retrieval.top_k=5", "--dry-run")
        models = run(*given, "--model", "other")
        written(there, row(1), row(4))
        questions, anew = run(*given), run(*given, "--restart")

    assert "2 questions to ask" in again.stderr
    assert "; about " in again.stderr
    assert {"Bread2", "Bread3"} == seen
    assert ["q1", "q2", "q3"] == [one["qid"] for one in map(json.loads, lines)]
    assert "0 questions to ask" not in dry.stderr
    for refused, what in (
        (settings, "config"),
        (dry, "config"),
        (models, "model"),
        (questions, "questions"),
    ):
        assert 1 == refused.exit_code
        assert f"{what} was" in refused.stderr
    assert 0 == anew.exit_code


def test_two_runs_are_compared_and_replies_that_are_kept_cost_as_much(
    there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_CACHE", str(there / "cache"))
    monkeypatch.setenv("RESEARCH_AGENT_MODELS__REPLY_CACHE__MODE", "on")
    asked = written(there, row(1), row(2))
    with served(Baker(), there) as config:
        given = ("eval", asked, "--config", config)
        assert 0 == run(*given, "--out", "old").exit_code
        told = printed(run(*given, "--out", "new", "--compare", "old", "--json"))
        assert "no evaluation is in nowhere" in run(*given, "--compare", "nowhere").stderr

    assert told["changes"]["llm_calls"]["old"] == told["changes"]["llm_calls"]["new"] > 0
    assert (2, 0, 0, 1.0) == tuple(
        told["changes"]["right"][name] for name in ("questions", "gained", "fewer", "p")
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(1, gold=[{"doc_id": "nobody"}])], "gold nobody is no document of the index"),
        ([row(1, gold=[{"doc_id": "breads", "page": 9}])], "no text on page 9"),
        ([row(1), row(1)], "line 2: the qid q1 is also on line 1"),
        ([], "holds no question"),
        ([UNANSWERABLE], "has a gold: there is nothing to look for"),
    ],
)
def test_bad_sets_are_refused_before_anything_is_asked(
    there: Path, rows: list[dict[str, object]], said: str
) -> None:
    done = run("eval", written(there, *rows), "--retrieval-only")

    assert 2 == done.exit_code
    assert said in done.stderr
    assert ("research-agent documents" in done.stderr) == (
        said.startswith(("gold nobody", "no text"))
    )
    assert not (there / "eval-set-retrieval").exists()


def test_a_file_that_is_not_there_is_told_and_help_is_that_of_the_command() -> None:
    missing = run("eval", "nothing.jsonl")
    assert (2, True) == (missing.exit_code, "nothing.jsonl cannot be read" in missing.stderr)
    for asked in (run("eval", "--help"), run("eval")):
        assert (0, True) == (asked.exit_code, "--retrieval-only" in asked.stdout)


def test_from_python_failed_questions_and_nonsense_count_apart(tmp_path: Path) -> None:
    asked = [
        Question(qid="a", text=QUESTION, required_facts=(("1184 bytes",),)),
        Question(qid="b", text=f"{QUESTION}!", gold_answer="It has 1184 bytes."),
    ]
    verifier = ScriptedChat(says("yes"), says("certainly"))
    given = ports(ScriptedChat(says(GOOD)), verifier=verifier)
    with ResearchAgent(given, BYPASSING, PROMPTS) as agent:
        found = evaluate(agent, asked, folder=tmp_path / "run")

    assert [True, None] == [one.right for one in found.rows]
    assert ("nonsense", 1) == (found.rows[1].judged, found.summary.nonsense)
    assert 1.0 == found.summary.figures[0].mean


@pytest.mark.parametrize(("reused", "tokens"), [(False, 110), (True, 0)])
def test_a_judge_that_was_not_asked_costs_nothing(
    tmp_path: Path, *, reused: bool, tokens: int
) -> None:
    """As in the usage of an answer; `eval` counts kept replies as they were when they were made."""
    asked = [Question(qid="a", text=QUESTION, gold_answer="It has 1184 bytes.")]
    verdict = says('{"verdict": "right"}')
    verdict = replace(verdict, cost=replace(verdict.cost, reused=reused))
    given = ports(ScriptedChat(says(GOOD)), verifier=ScriptedChat(says("yes"), verdict))
    with ResearchAgent(given, BYPASSING, PROMPTS) as agent:
        found = evaluate(agent, asked, folder=tmp_path / "run")

    assert ("right", tokens) == (found.rows[0].judged, found.rows[0].judge_tokens)


def test_a_search_that_failed_is_no_search_that_found_nothing() -> None:
    golds = (Gold((Span("guide", 0, 0),)),)
    asked = [Question(qid=name, text=f"{QUESTION} {name}", golds=golds) for name in ("a", "away")]
    failing = replace(ports(ScriptedChat()), embedder=Away())
    with ResearchAgent(failing, BYPASSING, PROMPTS) as agent:
        found = evaluate(agent, asked, options=EvalOptions(retrieval_only=True))

    recall = found.summary.figure("recall@10")
    assert (1, 1) == (found.summary.failed, recall and recall.questions)


class Away(WordEmbedder):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if texts[0].endswith("away"):
            raise ModelUnavailableError("the server is away")
        return super().embed(texts)
