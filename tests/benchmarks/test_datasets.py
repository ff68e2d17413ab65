"""The question sets are read as they are meant."""

import json
from pathlib import Path

import pytest

from benchmarks import datasets
from benchmarks.common import PDFS
from benchmarks.datasets import (
    IR_KS,
    MULTIHOP_NAMES,
    SOUGHT_NAMES,
    DataSet,
    data_set,
    documents,
    sought_questions,
)
from tests.data_sets import data_set as folder_of


def test_nist_has_21_answerable_questions_with_two_keys() -> None:
    """Raw gold and accepted pages are beside each other."""
    folder_of("nist-pqc")
    questions = {q.qid: q for q in data_set("nist").questions}
    assert 21 == len(questions)
    assert all(q.golds and q.accepted for q in questions.values())
    assert ("NIST.FIPS.203", "NIST.FIPS.204") == tuple(
        gold.spans[0].doc_id for gold in questions["q014"].golds
    )


def test_cranfield_and_scifact_are_graded_documents() -> None:
    """Only queries with judgements are asked; grades are kept."""
    folder_of("ir")
    cranfield, scifact = data_set("cranfield"), data_set("scifact")
    assert (225, IR_KS) == (len(cranfield.questions), cranfield.ks)
    assert {1, 2, 3, 4} == {gold.grade for q in cranfield.questions for gold in q.golds}
    assert all(q.golds for q in scifact.questions)


@pytest.mark.parametrize("name", MULTIHOP_NAMES)
def test_multihop_sets_name_paragraphs_that_there_are(name: str) -> None:
    """A hundred questions each, with two to four supports."""
    folder_of("multihop")
    data = data_set(name)
    assert data.corpus
    known = {json.loads(line)["id"] for line in data.corpus.read_text().splitlines()}
    assert 100 == len(data.questions)
    assert {len(q.golds) for q in data.questions} <= {2, 3, 4}
    assert all(gold.spans[0].doc_id in known for q in data.questions for gold in q.golds)


def test_the_projects_own_questions_name_pages_that_there_are() -> None:
    """Every gold is a page of one of the PDFs, and ids are not repeated."""
    import pypdfium2

    folder_of("nist-pqc")
    questions, pages = data_set("nist-extra").questions, {}
    for path in PDFS.glob("*.pdf"):
        with pypdfium2.PdfDocument(path) as pdf:
            pages[path.stem] = len(pdf)
    spans = [span for q in questions for gold in q.golds for span in gold.spans]
    assert 36 == len(questions) == len({q.qid for q in questions})
    assert [] == [s for s in spans if not 1 <= s.start <= s.end <= pages[s.doc_id]]


def test_documents_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of title and text; an empty document and a known one are left out; a paragraph's title
    is its heading."""
    rows = [
        {"_id": "7", "title": "T", "text": "words"},
        {"_id": "8", "title": "", "text": ""},
        {"id": "Oslo", "title": "Oslo", "text": "A town."},
    ]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    data = DataSet(name="tiny", questions=(), ks=IR_KS, corpus=corpus)
    monkeypatch.setattr(datasets, "data_set", lambda _: data)
    [folder] = documents("tiny", tmp_path)
    written = (folder / "7.txt").stat().st_mtime_ns
    assert [folder] == documents("tiny", tmp_path)
    assert written == (folder / "7.txt").stat().st_mtime_ns
    assert {"7.txt": "T\n\nwords\n", "Oslo.txt": "Oslo\n=========\n\nA town.\n"} == {
        path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()
    }


def test_sets_of_things_are_complete(tmp_path: Path) -> None:
    """As many questions as the files have, always in the same order, over two descriptions."""
    folder_of("openapi")
    folder_of("nist-pqc")
    asked = {name: sought_questions(name) for name in SOUGHT_NAMES}
    [folder] = documents("openapi", tmp_path)
    assert {"openapi": 15, "openapi-extra": 18, "nist": 21} == {n: len(q) for n, q in asked.items()}
    assert ["box.json", "twilio_verify_v2.json"] == sorted(p.name for p in folder.iterdir())
    assert [q.qid for q in asked["nist"]] != sorted(q.qid for q in asked["nist"])
