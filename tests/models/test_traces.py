"""The file of a run, and the ports that write to it and answer from it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from research_agent.errors import ModelTimeoutError, ReplayError
from research_agent.models.adapters import trace_ports
from research_agent.models.adapters.trace_file import TraceFile
from research_agent.types import Message
from tests.fakes import MemoryDecisions, ScriptedChat, WordEmbedder, says

ASKED = [Message("user", "Why?")]


class Scores:
    def scores(self, query: str, texts: Sequence[str], *, seconds: float = 0) -> list[float | None]:
        assert seconds >= 0
        return [0.5 if query in text else None for text in texts]


def test_a_full_disk_ends_the_trace_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is told once; what was written stays, under the name of an unfinished run."""
    told: list[str] = []
    file = TraceFile(str(tmp_path), "run.jsonl", on_problem=told.append)
    file.write({"line": "header"})
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
        file.write({"line": "event"})
        file.write({"line": "event"})
    file.close()

    assert ["run.jsonl.part"] == [path.name for path in tmp_path.iterdir()]
    assert b'{"line": "header"}\n' == (tmp_path / "run.jsonl.part").read_bytes()
    assert [f"the trace {tmp_path}/run.jsonl.part ends here: disk full"] == told


def test_calls_are_answered_in_their_order() -> None:
    """The same call gets its replies one after the other, and failures fail again."""
    lines: list[Mapping[str, object]] = []
    model = ScriptedChat(says("one"), ModelTimeoutError("late", hint="Wait."), says("three"))
    recorded = trace_ports.RecordingChat(model, "m", lines.append)
    assert "one" == recorded.complete("answer", ASKED, max_tokens=9).text
    with pytest.raises(ModelTimeoutError):
        recorded.complete("answer", ASKED, max_tokens=9)
    recorded.complete("answer", ASKED, max_tokens=9)
    replayed = trace_ports.ReplayedChat(None, lines, "m")

    assert says("one") == replayed.complete("answer", ASKED, max_tokens=9)
    with pytest.raises(ModelTimeoutError, match="late"):
        replayed.complete("answer", ASKED, max_tokens=9)
    texts = [replayed.complete("answer", ASKED, max_tokens=9).text for _ in range(2)]
    assert ["three", "three"] == texts
    assert (4, 0) == (replayed.replayed, replayed.asked)


@pytest.mark.parametrize(("identity", "tokens"), [("other", 9), ("m", 8)])
def test_another_call_is_asked_or_an_error(identity: str, tokens: int) -> None:
    """A call with another model or length is not the recorded one."""
    lines: list[Mapping[str, object]] = []
    trace_ports.RecordingChat(ScriptedChat(says("one")), "m", lines.append).complete(
        "answer", ASKED, max_tokens=9
    )
    asking = trace_ports.ReplayedChat(ScriptedChat(says("new")), lines, identity)

    assert "new" == asking.complete("answer", ASKED, max_tokens=tokens).text
    with pytest.raises(ReplayError, match="answer model"):
        trace_ports.ReplayedChat(None, lines, identity).complete("answer", ASKED, max_tokens=tokens)


def test_vectors_scores_and_verdicts_come_back() -> None:
    """Texts are not in the lines; what is new is asked only where that is allowed."""
    lines: list[Mapping[str, object]] = []
    embedder = WordEmbedder()
    vectors = trace_ports.RecordingEmbedder(embedder, lines.append).embed(["a secret"])
    scores = trace_ports.RecordingReranker(Scores(), lines.append).scores(
        "rye", ["rye bread", "tin"]
    )
    trace_ports.RecordingDecisions(MemoryDecisions({"a": "keep"}), lines.append).get(["a", "b"])
    replayed = trace_ports.ReplayedEmbedder(embedder, lines, may_ask=True)

    assert "secret" not in str(lines)
    assert vectors[0] == replayed.embed(["new", "a secret"])[1]
    assert ["a secret", "new"] == embedder.asked
    assert scores == trace_ports.ReplayedReranker(None, lines).scores("rye", ["rye bread", "tin"])
    assert {"a": "keep"} == trace_ports.RecordedDecisions(lines).get(["a", "b"])
    with pytest.raises(ReplayError):
        trace_ports.ReplayedEmbedder(embedder, lines, may_ask=False).embed(["new"])
    with pytest.raises(ReplayError):
        trace_ports.ReplayedReranker(None, lines).scores("rye", ["tin"])
