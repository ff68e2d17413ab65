"""Recordings: the committed ones are found under their keys, new ones are kept at once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.common import RECORDINGS
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.errors import ModelTimeoutError
from research_agent.models.replies import reply_key
from research_agent.types import Message
from tests.fakes import ScriptedChat, says

PROMPT = """You prepare searches in a person's documents. A first search found nothing \
convincing. Reply with one JSON object with "kind" and "queries":
- "decompose" with two or three queries, one for each thing, when the question asks about several \
things or compares them;
- "rewrite" with one query when the documents would use other words, such as a name in full;
- "disambiguate" with one query when the question can be read in two ways;
- "keep" with no query when none of these helps.
Keep every name and number of the question, add none, and do not answer it.

Question: what is PQC"""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["keep", "rewrite", "decompose", "disambiguate"]},
        "queries": {"type": "array", "items": {"type": "string", "maxLength": 160}, "maxItems": 3},
    },
    "required": ["kind", "queries"],
    "additionalProperties": False,
}
MESSAGES = [Message("user", PROMPT)]


def test_a_committed_recording_has_todays_key() -> None:
    """The key of a call with a schema is the one that the first line was recorded under."""
    with (RECORDINGS / "answers-1.5b.jsonl").open(encoding="utf-8") as file:
        first = json.loads(file.readline())

    assert first["key"] == reply_key("1.5b", "planner", MESSAGES, max_tokens=120, schema=SCHEMA)


@pytest.mark.parametrize("model", [None, ScriptedChat(ModelTimeoutError("No reply in 600 s."))])
def test_a_reply_that_is_missing_or_late_is_an_error(
    tmp_path: Path, model: ScriptedChat | None
) -> None:
    """Nothing is made up, no step can take it for a model that is down, the next run asks again."""
    chat = RecordedChat(model, Recordings(tmp_path / "none.jsonl", "1.5b"), "1.5b")

    with pytest.raises(MissingRecordingError):
        chat.complete("planner", MESSAGES, max_tokens=120)


def test_new_reply_is_recorded_at_once(tmp_path: Path) -> None:
    """The next run has it, with log-probabilities, at the cost it had."""
    path = tmp_path / "new.jsonl"
    model = ScriptedChat(says("Bytes “1184”."))
    first = RecordedChat(model, Recordings(path, "w"), "w")
    told = first.complete("answer", MESSAGES, max_tokens=300)

    replayed = RecordedChat(None, Recordings(path, "w"), "w")
    again = replayed.complete("answer", MESSAGES, max_tokens=300)

    row = json.loads(path.read_text(encoding="utf-8"))
    fields = ["key", "weights", "temperature", "role", "max_tokens", "seconds", "reply"]
    assert fields == list(row)
    assert ("w", 0, "any", 300) == tuple(row[name] for name in fields[1:5])
    assert told == replace(again, cost=replace(again.cost, seconds=0.0))
    assert 1 == len(model.asked)


def test_nothing_is_asked_after_the_time(tmp_path: Path) -> None:
    """What is recorded is given, what is missing stays missing."""
    path, model = tmp_path / "recordings.jsonl", ScriptedChat(says("yes"))
    known, other = [Message("user", "a")], [Message("user", "b")]
    RecordedChat(model, Recordings(path, "w"), "w").complete("planner", known, max_tokens=5)
    late = RecordedChat(model, Recordings(path, "w"), "w", in_time=lambda: False)

    assert "yes" == late.complete("planner", known, max_tokens=5).text
    with pytest.raises(MissingRecordingError):
        late.complete("planner", other, max_tokens=5)
    assert 1 == len(model.asked)
