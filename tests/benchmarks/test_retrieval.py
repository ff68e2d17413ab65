"""A whole run over a tiny corpus, from texts to committed rows."""

import json
from pathlib import Path

import pytest

from benchmarks import retrieval
from benchmarks.datasets import IR_KS, DataSet, Question
from benchmarks.metrics import Gold, Span
from benchmarks.product import PRODUCT, STAGES, indexed
from research_agent.settings import Settings

TEXTS = {"7": "Bread is baked at 230 degrees.", "8": "A key has 1184 bytes.", "9": "Rain falls."}


@pytest.fixture
def tiny(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataSet:
    """Return a data set of three documents; results are written below `tmp_path`."""
    assert not data_home.exists()
    monkeypatch.setattr(retrieval, "RESULTS", tmp_path / "results")
    corpus = tmp_path / "corpus.jsonl"
    rows = [json.dumps({"_id": key, "title": "", "text": text}) for key, text in TEXTS.items()]
    corpus.write_text("\n".join(rows), encoding="utf-8")
    question = Question(qid="1", text="How hot is bread baked?", golds=(Gold((Span("7"),), 2),))
    return DataSet(name="tiny", questions=(question,), ks=IR_KS, corpus=corpus)


def test_a_run_writes_rows_summary_and_table(tiny: DataSet, tmp_path: Path) -> None:
    """Every stage finds the document first; what is printed is what is kept."""
    report = retrieval.report(tiny, tmp_path, peers=False)
    written = tmp_path / "results" / "retrieval-tiny"
    (row,) = map(json.loads, written.with_suffix(".jsonl").read_text().splitlines())
    told = json.loads(written.with_suffix(".json").read_text())

    assert list(STAGES) == list(row["arms"]) == list(told["scores"])
    assert [1.0] * len(STAGES) == [arm["scores"]["ndcg@10"] for arm in row["arms"].values()]
    assert "7" == row["arms"][PRODUCT]["hits"][0]
    assert {"found": 1} == told["golds"]
    assert f"{report.table}\n" == written.with_suffix(".md").read_text()


def test_an_index_of_other_documents_is_made_anew(tmp_path: Path, data_home: Path) -> None:
    """Documents of an earlier run in another folder are not searched."""
    assert not data_home.exists()
    for name in ("earlier", "now"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"Bread, {name}.", encoding="utf-8")
    first = indexed(tmp_path / "earlier", tmp_path / "index", Settings())

    assert (1, 1) == (first, indexed(tmp_path / "now", tmp_path / "index", Settings()))
