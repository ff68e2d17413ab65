"""Retrieval alone: a whole run over a tiny corpus, from texts to kept rows; scores and tables."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import datasets, retrieval
from benchmarks.datasets import IR_KS, DataSet, Question
from benchmarks.figures import Gold, Span
from benchmarks.retrieval import PRODUCT, STAGES, Arm, Found, Ranking, index_of, tables
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
    ranking = Ranking(tuple(Found(span, 100) for span in hits), milliseconds=2.0)
    return Arm(name=name, chunks=9, rankings={"q1": ranking, "q2": ranking})


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


def test_a_run_writes_rows_summary_and_table(tiny: DataSet, tmp_path: Path) -> None:
    """Every stage finds the document first; what is printed is what is kept."""
    table = retrieval.kept(tiny, retrieval.measure(tiny, tmp_path, Settings()), [], [])
    written = tmp_path / "retrieval-tiny"
    (row,) = map(json.loads, written.with_suffix(".jsonl").read_text().splitlines())
    told = json.loads(written.with_suffix(".json").read_text())

    assert list(STAGES) == list(row["arms"]) == list(told["scores"])
    assert [1.0] * len(STAGES) == [arm["scores"]["ndcg@10"] for arm in row["arms"].values()]
    assert "7" == row["arms"][PRODUCT]["hits"][0]
    assert f"{table}\n" == written.with_suffix(".md").read_text()


def test_an_index_of_other_documents_is_made_anew(
    tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents of an earlier run in another folder are not searched."""
    assert not data_home.exists()
    for name in ("earlier", "now"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"Bread, {name}.", encoding="utf-8")
        monkeypatch.setattr(retrieval, "documents", lambda *_, n=name: [tmp_path / n])
        assert 1 == index_of("x", tmp_path, Settings())[1]


def test_a_summary_holds_scores_costs_and_the_difference_to_the_best_peer() -> None:
    """What the product gains and what it costs; each row says where each arm found it."""
    told = retrieval.summary(DATA, OWN, [PEER])
    first, second = retrieval._rows(DATA, [*OWN, PEER])  # noqa: SLF001 (what is kept)

    assert 0.25 == told["scores"][PRODUCT]["mrr@2"]["mean"]
    difference = told["product_minus_best_peer"]["mrr@2"]
    assert ("peer", 0.25) == (difference["peer"], difference["mean"])
    costs = told["costs"][PRODUCT]
    assert (200, 100, 2) == (costs["chars"], costs["longest"], costs["over_two_pages"])
    arms = first["arms"]
    assert isinstance(arms, dict)
    assert ((2,), (None,)) == (arms[PRODUCT]["ranks"], arms["peer"]["ranks"])
    assert ["a:5-8", "a:1-1"] == arms[PRODUCT]["hits"]
    assert "q2" == second["qid"]


def test_whole_documents_are_counted_at_their_first_hit() -> None:
    """Where documents are ranked, further hits of a document take no rank."""
    by_document = replace(DATA, ks=(2,), corpus=Path("corpus"))
    found = retrieval.values(by_document, arm("x", OTHER, OTHER, OTHER, Span("b", 1, 1)))
    assert [1.0, 1.0] == found["recall@2"]


def test_a_peer_that_is_missing_is_told() -> None:
    """The table names it, and no difference is made up."""
    told = retrieval.summary(DATA, OWN, []) | {"failed_peers": ["paper-qa: no wheel"]}
    assert "No figures: paper-qa: no wheel" in tables(told)
    assert "best peer" not in tables(told)
