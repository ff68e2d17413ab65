"""Preset `full` with the recorded replies of a strong model that gives no log-probabilities."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.commands import BORN, run, works_folder
from tests.loopback import Json, server, text_reply, tool_reply

SEARCH = "search_chunks_tool"
RECORDED = {
    "queries": [
        (
            '{"kind": "decompose", "queries": ["Who designed the Kestrel pump?", '
            '"In which year was #1 born?"]}'
        ),
        '{"kind": "rewrite", "queries": ["In which year was Ilona Varga born?"]}',
    ],
    "tools": [
        '{"query": "Kestrel pump designer"}',
        "done",
        '{"query": "Ilona Varga born"}',
        "done",
    ],
    "k1": [
        (
            '{"k1": "KEEP: names the designer", "k2": "KEEP: states the year of birth", '
            '"k3": "DISCARD: about the canteen"}'
        ),
        '{"k1": "KEEP: states the year of birth"}',
    ],
    "answer": [
        (
            "The Kestrel pump was designed by Ilona Varga [c1].\n"
            "NOT FOUND: the year in which Ilona Varga was born"
        ),
        (
            "The Kestrel pump was designed by Ilona Varga [c1].\n"
            "NOT FOUND: the year in which Ilona Varga was born"
        ),
        "The designer of the Kestrel pump, Ilona Varga [c1], was born in 1899 [c2].",
        "Ilona Varga, who designed the Kestrel pump [c1], was born in 1899 [c2].",
    ],
    "verdicts": [
        (
            '{"verdicts": [{"sentence": 1, "verdict": "supported", "key": "c2", '
            '"quote": "Ilona Varga was born in Szolnok in 1899."}]}'
        )
    ],
}
"""Replies in their order, by what is asked for."""


def asked(folder: Path) -> tuple[list[dict[str, Any]], dict[str, list[Json]]]:
    """Ask the question; returns the events, and the requests by what they ask for."""
    left = {kind: list(replies) for kind, replies in RECORDED.items()}
    requests: dict[str, list[Json]] = {kind: [] for kind in RECORDED}

    def reply(request: Json) -> Json:
        kind = "tools" if "tools" in request else "answer"
        if "response_format" in request:
            schema = request["response_format"]["json_schema"]["schema"]
            kind = next(name for name in schema["properties"] if name in RECORDED)
        requests[kind].append(request)
        text = left[kind].pop(0)
        calls = kind == "tools" and text != "done"
        return tool_reply(SEARCH, text) if calls else text_reply(text, tokens=[])

    with server(reply) as url:
        own = folder / "own.yaml"
        chat = {"provider": "openai", "model": "strong", "base_url": url}
        given = {"models": {"chat": chat}, "evidence": {"max_chunks": 1}}
        own.write_text(json.dumps(given), encoding="utf-8")
        docs = str(works_folder(folder))
        done = run("ask", BORN, "--config", str(own), "--docs", docs, "--events")
    assert 0 == done.exit_code, done.output
    assert {} == {kind: replies for kind, replies in left.items() if replies}
    return [json.loads(line) for line in done.stdout.splitlines()], requests


@pytest.mark.usefixtures("data_home")
def test_round_two_finds_what_is_missing_and_both_answers_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refiner and planner are told what is missing and what was read, which is not judged again."""
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    events, requests = asked(tmp_path)

    def each(kind: str) -> list[dict[str, Any]]:
        return [event for event in events if kind == event["event"]]

    assert ["model"] * 4 == [event["author"] for event in each("calls")]
    reasons = [item["reason"] for event in each("decisions") for item in event["decisions"]]
    assert "about the canteen" in reasons
    first, second = each("check")
    assert ("again", "missing") == (first["decision"], first["reason"])
    assert ("stop", "confident") == (second["decision"], second["reason"])
    (result,) = [event["result"] for event in each("result")]
    assert ("full", 2, "answered") == (result["preset"], result["rounds"], result["status"])
    assert "1899" in result["answer"]
    assert ("disagreement", 0.0) == (
        result["uncertainty"]["source"],
        result["uncertainty"]["value"],
    )
    missing = "the year in which Ilona Varga was born"
    again, calls = (requests[kind][at]["messages"][-1]["content"] for kind, at in PLACES)
    assert f"missing: {missing}" in again
    assert missing in calls
    assert "The Kestrel pump was designed by Ilona Varga" in calls
    assert "40 litres" not in requests["k1"][1]["messages"][-1]["content"]


PLACES = (("queries", 1), ("tools", 2))
"""The second round's requests."""
