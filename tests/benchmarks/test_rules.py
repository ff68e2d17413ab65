"""What each rule is worth, over a tiny corpus."""

import json
from pathlib import Path

import pytest

from benchmarks import rules
from benchmarks.datasets import IR_KS, NEAR, DataSet, Question, data_set
from benchmarks.metrics import Gold, Span

TEXTS = {"7": "Bread is baked at 230 degrees.", "8": "A key has 1184 bytes.", "9": "Rain falls."}


def test_one_row_a_rule(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's own means first; a rule that changes nothing adds nothing."""
    assert not data_home.exists()
    corpus = tmp_path / "corpus.jsonl"
    documents = [json.dumps({"_id": i, "title": "", "text": text}) for i, text in TEXTS.items()]
    corpus.write_text("\n".join(documents), encoding="utf-8")
    question = Question(qid="1", text="How hot is bread baked?", golds=(Gold((Span("7"),)),))
    tiny = DataSet(name="tiny", questions=(question,), ks=IR_KS, corpus=corpus)
    monkeypatch.setattr(rules, "RESULTS", tmp_path)
    monkeypatch.setattr(rules, "data_set", lambda _: tiny)

    (table,) = rules.run(["tiny"], cache=str(tmp_path / "cache"))

    rows = [line for line in table.split("\n") if line.startswith(("| product", "| +"))]
    assert ["product", *(f"+ {name}" for name in rules.WITHOUT)] == [
        row.split("|")[1].strip() for row in rows
    ]
    assert "| 1.000 | 1.000 |" in rows[0]
    assert all("+0.000 (+0.00 to +0.00)" in row for row in rows[1:])
    assert f"{table}\n" == (tmp_path / "rules-tiny.md").read_text(encoding="utf-8")
    assert {"qid": "1", "gains": {}} == json.loads((tmp_path / "rules-tiny.jsonl").read_text())


def test_nearest_pages_of_unanswerable_questions() -> None:
    """One page a question, none of them among the questions that have an answer."""
    near = data_set(NEAR)

    assert 24 == len(near.questions)
    assert all(1 == len(question.golds) for question in near.questions)
    assert not {q.text for q in near.questions} & {q.text for q in data_set("nist").questions}
