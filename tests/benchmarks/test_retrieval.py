"""Retrieval alone: a whole run over a tiny corpus, from texts to kept rows; scores and tables."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import datasets, retrieval
from benchmarks.datasets import IR_KS, DataSet, Question
from benchmarks.retrieval import PRODUCT, STAGES, Arm
from research_agent.evaluation.ranking import Gold, Span
from research_agent.settings import Settings

TEXTS = {"7": "Bread is baked at 230 degrees.", "8": "A key has 1184 bytes.", "9": "Rain falls."}
PAGE, OTHER = Span("a", 1, 1), Span("a", 5, 8)
DATA = DataSet(
    name="tiny",
    ks=(1, 2),
    questions=(
        Question(qid="q1", text="one?", golds=(Gold((PAGE,)),)),
        Question(qid="q2", text="two?", golds=(Gold((Span("b"),)),)),
    ),
)


def arm(name: str, *hits: Span) -> Arm:
    asked = ("q1", "q2")
    return Arm(name=name, chunks=9, hits=dict.fromkeys(asked, hits), ms=dict.fromkeys(asked, 2.0))


OWN, PEER = [arm(name, OTHER, PAGE) for name in STAGES], arm("peer", OTHER)


@pytest.fixture
def tiny(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataSet:
    """Return a data set of three documents; results are written below `tmp_path`."""
    assert not data_home.exists()
    monkeypatch.setattr(retrieval, "RESULTS", tmp_path)
    corpus = tmp_path / "corpus.jsonl"
    rows = [json.dumps({"_id": key, "title": "", "text": text}) for key, text in TEXTS.items()]
    corpus.write_text("\n".join(rows), encoding="utf-8")
    question = Question(qid="1", text="How hot is bread baked?", golds=(Gold((Span("7"),), 2),))
    data = DataSet(name="tiny", questions=(question,), ks=IR_KS, corpus=corpus)
    monkeypatch.setattr(datasets, "data_set", lambda _: data)
    return data


def test_a_run_writes_figures_and_tables(tiny: DataSet, tmp_path: Path) -> None:
    """Every stage finds the document first; what is printed is what is kept."""
    table = retrieval.kept(tiny, retrieval.measure(tiny, tmp_path, Settings()), [])
    assert f"{table}\n" == (tmp_path / "retrieval-tiny.md").read_text()
    sure = "1.000 (1.000 to 1.000)"
    assert all(line.endswith(f"| {sure} |") for line in table.splitlines()[4 : 4 + len(STAGES)])
    assert "best peer" not in table


def test_the_product_is_compared_with_the_best_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metric by metric, with what each costs; a revised key has a table of its own."""
    monkeypatch.setattr(retrieval, "RESULTS", tmp_path)
    accepted = tuple(replace(q, accepted=(Gold((OTHER,)),)) for q in DATA.questions)
    text = retrieval.kept(replace(DATA, questions=accepted), OWN, [PEER, arm("worse")])
    assert "| mrr@2 | +0.250 (+0.000 to +0.500) | peer |" in text
    assert f"| {PRODUCT} | 9 | 2.0 | 2.0 |" in text
    assert "Accepted pages of the revised key." in text
    assert "| peer | 1.000 (1.000 to 1.000) |" in text
