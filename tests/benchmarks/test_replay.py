"""Digests of replayed questions: what counts as the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.drafts import recorded
from benchmarks.recording import MissingRecordingError
from benchmarks.replay import table
from benchmarks.replaying import Line, Replies, changes, digest, replayed
from research_agent.types import Chunk, ModelCall


def test_paths_and_seconds_do_not_count_but_texts_do() -> None:
    """A digest is the same in another folder and on a slower machine."""
    chunk = Chunk("x", "guide", "a key", source="here/guide.md")
    assert digest(chunk) == digest(replace(chunk, source="there/guide.md"))
    assert digest(chunk) != digest(replace(chunk, text="a lock"))
    call = ModelCall("answer", seconds=1.0)
    assert digest({"call": call, "search_ms": 3}) == digest({"call": replace(call, seconds=2.0)})


def test_recorded_drafts_have_evidence_and_text() -> None:
    """A refusal is no draft."""
    known = recorded("strong")
    assert known
    assert all(asked.evidence and asked.answer.text for asked in known)


def test_a_missing_reply_is_a_line_too(tmp_path: Path) -> None:
    """A question whose reply is not recorded says which role was asked."""

    def ask() -> Line:
        raise MissingRecordingError("planner")

    line = replayed("a", "1", Replies(tmp_path / "none.jsonl", "m"), ask)
    assert line["missing"] == "planner"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([{"set": "a", "id": "1", "hits": "x"}], []),
        ([{"set": "a", "id": "1", "hits": "y"}], ["hits"]),
        ([{"set": "a", "id": "1", "hits": "x", "missing": "answer"}], ["missing"]),
        ([], ["gone"]),
    ],
)
def test_what_differs_is_named(after: list[Line], told: list[str]) -> None:
    """Lines are compared by set and id, part by part."""
    before = [{"set": "a", "id": "1", "hits": "x"}]
    assert [what for _, _, what in changes(before, after)] == [told]
    assert ("a 1: " in table(before, after)) == bool(told)
