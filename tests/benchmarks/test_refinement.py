"""Refined searches over a tiny corpus: what is found, kept and left out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import common, datasets, recording, refinement
from benchmarks.__main__ import main
from benchmarks.common import changed
from benchmarks.datasets import IR_KS, DataSet, Question
from benchmarks.refinement import PLAIN, Arm
from research_agent.evaluation.ranking import Gold, Span
from research_agent.settings import Settings

TEXTS = {
    "Ann_Berg": ("Ann Berg", "Ann Berg was born in the town of Moss."),
    "Moss": ("Moss", "Moss is a town with a harbour, founded in 1720."),
    "Bread": ("Bread", "Bread is baked at 230 degrees."),
}
QUESTION = Question(
    qid="1",
    text="When was the town founded in which Ann Berg was born?",
    golds=(Gold((Span("Ann_Berg"),)), Gold((Span("Moss"),))),
)
ONE = Arm("question alone", PLAIN)
ASKING = Arm("asking", changed(Settings(), confidence={"bypass": 1.01}), ONE.name)


@pytest.fixture
def place(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for results and recordings, with a tiny set in the place of all others."""
    assert not data_home.exists()
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": i, "title": title, "text": text} for i, (title, text) in TEXTS.items()]
    corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    tiny = DataSet(name="hotpotqa", questions=(QUESTION,), ks=IR_KS, corpus=corpus)
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path / "recordings")
    for module in (refinement, datasets):
        monkeypatch.setattr(module, "data_set", lambda _: tiny)
    monkeypatch.setattr(refinement, "ARMS", (ONE, ASKING))
    monkeypatch.setattr(refinement, "MODES", (replace(ONE, name="planned"),))
    return tmp_path


def run(place: Path, *options: str) -> str:
    given = ["refinement", "--data", "hotpotqa", "--cache", str(place / "cache"), *options]
    done = CliRunner().invoke(main, given, catch_exceptions=False)
    assert 0 == done.exit_code
    return done.output


def cells(text: str, arm: str) -> list[str]:
    line = next(line for line in text.split("\n") if line.startswith(f"| {arm} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_arms_without_a_model_are_measured_and_a_part_takes_the_place_of_none(place: Path) -> None:
    """Rows and table are kept, but for the first questions; modes have files of their own.

    A question whose calls are not recorded is left out of an arm.
    """
    run(place, "--limit", "1")
    assert not (place / "results").exists()
    text, modes = run(place), run(place, "--modes")

    assert ["question alone", "1", "100.0", "100.0"] == cells(text, "question alone")[:4]
    assert "| asking |" not in text
    (line,) = (place / "results" / "refinement-hotpotqa.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert ("1", "question alone") == (row["qid"], row["arm"])
    assert {1, 2} == set(row["ranks"])
    assert ["planned", "1"] == cells(modes, "planned")[:2]
    names = (f"{name}.{kind}" for name in ("modes-hotpotqa-1.5b", "refinement-hotpotqa")
             for kind in ("jsonl", "md"))  # fmt: skip
    assert {*names} == {path.name for path in (place / "results").iterdir()}
