"""Traces and sessions of earlier versions are read: their verdicts have today's names."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.commands import BAKED, chat, in_sessions, run

pytestmark = pytest.mark.usefixtures("indexed")
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


def test_an_old_trace_is_replayed(config: str, tmp_path: Path) -> None:
    """Settings that are gone are told; the answer is compared with what was shown then."""
    runs = tmp_path / "runs"
    run("ask", BAKED, "--config", config, "--trace", str(runs))
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
        again = run("replay", str(path), "--from", node)

        assert 0 == again.exit_code, again.output
        assert "the run was recorded with verify.asked_value, which this version" in again.stderr
        assert f"    {SAID[:-1]} [c1]." in again.stdout
        assert "status: partial -> answered" in again.stdout


def test_an_old_session_has_a_report(config: str, tmp_path: Path) -> None:
    """From the result that was kept with its last answer."""
    report = tmp_path / "answer.html"
    chat(config, BAKED)
    ((kept,),) = in_sessions("select result from research_agent_results")
    old = json.dumps(aged(json.loads(kept)))
    in_sessions("update research_agent_results set result = ?", old)
    told = chat(config, f"/export {report}")
    html = report.read_text(encoding="utf-8")

    assert f"written: {report}" in told.stderr
    assert f"left out, unconfirmed: {LEFT_OUT}" in html
    assert "Sentences: 1 supported, 0 unconfirmed, 0 contradicted." in html
