"""Traces and sessions of earlier versions are read: their verdicts have today's names."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphs.state import RESULT
from research_agent.interfaces.events import read_event
from research_agent.types.events import SentenceChecked
from tests.interfaces.commands import Model, chat, guide_folder, run, served

pytestmark = pytest.mark.usefixtures("data_home")
QUESTION = "At how many degrees is bread baked?"
SAID = "Bread is baked at 230 degrees."
LEFT_OUT = "It is made of snow."
OLD_QUOTE = {"missing": [], "problem": ""}
OLD_CLAIM: dict[str, object] = {
    "similarity": None,
    "checked": [],
    "repaired": "rekeyed",
    "first": "",
}


def aged(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result as the version before kept it: one sentence supported, one left out."""
    (claim,) = result["claims"]
    new = {"facts", "judged", "rekeyed", "rewritten"}
    old = {name: value for name, value in claim.items() if name not in new} | OLD_CLAIM
    quotes = [quote | OLD_QUOTE for quote in claim["quotes"]]
    kept = old | {"verdict": "misattributed", "quotes": quotes}
    gone = old | {"verdict": "unsupported", "text": LEFT_OUT, "keys": [], "quotes": []}
    counts = {"supported", "unconfirmed", "contradicted"}
    rest = {name: value for name, value in result.items() if name not in counts}
    return rest | {"claims": [kept, gone], "status": "partial", "unanswered": [LEFT_OUT]}


@pytest.fixture
def config(tmp_path: Path) -> Iterator[str]:
    with served(Model(), tmp_path) as path:
        yield path


def test_a_result_has_todays_verdicts_and_counts(config: str, tmp_path: Path) -> None:
    """What was shown then is supported, what was left out is unconfirmed."""
    docs = guide_folder(tmp_path)
    told = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--json").stdout
    result = RESULT.validate_python(aged(json.loads(told)))

    assert ["supported", "unconfirmed"] == [claim.verdict for claim in result.claims]
    assert (1, 0, 0) == (result.supported, result.unconfirmed, result.contradicted)
    assert result.claims[0].rekeyed


def test_a_sentence_event_is_read() -> None:
    """With its verdict, and that it was written again."""
    old = {"event": "sentence", "index": 0, "verdict": "stitched", "repaired": "reasked"}

    assert SentenceChecked(index=0, verdict="supported", rewritten=True) == read_event(old)


def test_an_old_trace_is_replayed(config: str, tmp_path: Path) -> None:
    """Settings that are gone are told; the answer is compared with what was shown then."""
    docs, runs = guide_folder(tmp_path), tmp_path / "runs"
    run("index", str(docs))
    run("ask", QUESTION, "--config", config, "--trace", str(runs))
    (path,) = runs.iterdir()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["settings"]["verify"] |= {"asked_value": "on", "min_yes": 0.3}
    for line in lines:
        if line.get("event") == "result":
            line["result"] = aged(line["result"])
        if "best" in line.get("wrote", {}):
            line["wrote"]["best"]["claims"][0]["verdict"] = "stitched"
            line["wrote"]["check"]["reason"] = "unsupported"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    for node in ("retrieve", "report"):
        again = run("replay", str(path), "--offline-only", "--from", node)

        assert 0 == again.exit_code, again.output
        assert "the run was recorded with verify.asked_value, which this version" in again.stderr
        assert f"    {SAID[:-1]} [c1]." in again.stdout
        assert "status: partial -> answered" in again.stdout


def test_an_old_session_has_a_report(config: str, tmp_path: Path) -> None:
    """From the result that was kept with its last answer."""
    docs, report = guide_folder(tmp_path), tmp_path / "answer.html"
    chat(config, QUESTION, docs=docs)
    file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
    with closing(sqlite3.connect(file)) as database:
        ((kept,),) = database.execute("select result from research_agent_results").fetchall()
        old = json.dumps(aged(json.loads(kept)))
        database.execute("update research_agent_results set result = ?", (old,))
        database.commit()
    told = chat(config, f"/export {report}", docs=docs)
    html = report.read_text(encoding="utf-8")

    assert f"written: {report}" in told.stderr
    assert f"left out, unconfirmed: {LEFT_OUT}" in html
    assert "Sentences: 1 supported, 0 unconfirmed, 0 contradicted." in html
