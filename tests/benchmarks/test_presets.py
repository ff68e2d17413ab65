"""The measure of presets and rounds: which questions, and what counts as right."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import presets, recording
from benchmarks.common import Asking, Row
from benchmarks.presets import SAMPLES, Chosen, Question, judged, rounds_of
from benchmarks.recording import Replaying
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult
from tests.data_sets import data_set
from tests.fakes import GOOD, QUESTION, ScriptedChat, ports, says

KEY = {
    "qid": "h1",
    "question": QUESTION,
    "answerable": True,
    "answer": "1184 bytes",
    "aliases": [],
    "supporting_ids": ["guide"],
}


def answered() -> ResearchResult:
    """Return what the product makes of the question of the fakes."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), Settings(), load_prompts()) as agent:
        return agent.ask(QUESTION)


def test_samples_are_the_same_every_time() -> None:
    """NIST: what counts; of others every fifth question of a hundred in the order of their ids."""
    for folder in ("nist-pqc", "multihop"):
        data_set(folder)
    asked = {name: presets.keys_of(name) for name in SAMPLES}
    can = [key["answerable"] for key in asked["nist"]]
    assert (20, 26) == (sum(can), len(can) - sum(can))
    assert (20, 20) == (len(asked["hotpotqa"]), len(asked["musique"]))
    first = [key["qid"] for key in asked["musique"]][:2]
    assert ["2hop__108336_772156", "2hop__156658_155922"] == first


def test_an_answer_is_right_by_its_spellings_and_supported_by_its_paragraphs() -> None:
    """A refusal is never supported, and the name in the nearest passage's title is no answer."""
    result = answered()
    titled = replace(result, status="unconfirmed", answer="The nearest passage is Oslo.", claims=())
    assert ("right", True) == judged("musique", result, KEY)
    assert ("right", False) == judged("musique", result, {**KEY, "supporting_ids": ["x"]})
    assert ("wrong", True) == judged("musique", result, {**KEY, "answer": "Oslo"})
    assert "wrong" == judged("musique", titled, {**KEY, "answer": "Oslo"})[0]
    assert ("refused", False) == judged("musique", replace(result, status="refused"), KEY)


def test_a_run_from_recordings_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the same row; a question of which a call is missing has none."""
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path)
    model = ScriptedChat(says(GOOD))
    given = ports(model)

    def rows(question: str, *, live: bool) -> list[Row]:
        chosen = Chosen(Asking(live=live), "local")
        replaying = Replaying.of("presets", chosen.asking, given)
        found = rounds_of(
            "hotpotqa", {**KEY, "question": question}, Question(chosen, replaying, given)
        )
        return [{**row, "seconds": 0.0} for row in found]

    live = rows(QUESTION, live=True)
    asked = len(model.asked)
    assert live == rows(QUESTION, live=False)
    assert [] == rows("What else?", live=False)
    told = [(row["outcome"], row["supported"], row["rounds"], row["most"]) for row in live]
    assert [("right", True, 1, 1), ("right", True, 1, 2)] == told
    assert asked == len(model.asked)
