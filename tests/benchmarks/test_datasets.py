"""The question sets are read as they are meant."""

import json
from pathlib import Path

from benchmarks.datasets import EXTRA, IR_KS, DataSet, accepted_pages, data_set, documents, unique
from benchmarks.metrics import Gold, Span
from benchmarks.places import PDFS
from benchmarks.questions import read
from tests.data_sets import data_set as folder_of


def test_nist_has_21_answerable_questions_with_two_keys() -> None:
    """Raw gold and accepted pages stand beside each other, a repeated gold counts once."""
    folder_of("nist-pqc")
    questions = {q.qid: q for q in data_set("nist").questions}

    assert 21 == len(questions)
    assert all(q.golds and q.accepted for q in questions.values())
    assert ("NIST.FIPS.203", "NIST.FIPS.204") == tuple(
        gold.spans[0].doc_id for gold in questions["q014"].golds
    )
    assert 3 == len(questions["q003"].accepted)


def test_cranfield_and_scifact_are_graded_documents() -> None:
    """Only queries with judgements are asked; grades are kept."""
    folder_of("ir")
    cranfield, scifact = data_set("cranfield"), data_set("scifact")

    assert (225, IR_KS) == (len(cranfield.questions), cranfield.ks)
    assert {1, 2, 3, 4} == {gold.grade for q in cranfield.questions for gold in q.golds}
    assert all(q.golds for q in scifact.questions)


def test_the_projects_own_questions_name_pages_that_there_are() -> None:
    """Every gold is a page of one of the PDFs, and ids are not repeated."""
    import pypdfium2

    folder_of("nist-pqc")
    questions = data_set("nist-extra").questions
    pages = {}
    for path in PDFS.glob("*.pdf"):
        with pypdfium2.PdfDocument(path) as pdf:
            pages[path.stem] = len(pdf)
    spans = [span for q in questions for gold in q.golds for span in gold.spans]

    assert len(questions) == len({q.qid for q in questions}) == len(read(EXTRA))
    assert [] == [s for s in spans if not 1 <= s.start <= s.end <= pages[s.doc_id]]


def test_documents_are_written_once(tmp_path: Path) -> None:
    """A corpus becomes files of title and text; an empty document and a known one are left out."""
    rows = [{"_id": "7", "title": "T", "text": "words"}, {"_id": "8", "title": "", "text": ""}]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    data = DataSet(name="tiny", questions=(), ks=IR_KS, corpus=corpus)
    folder = documents(data, tmp_path)
    written = (folder / "7.txt").stat().st_mtime_ns

    assert folder == documents(data, tmp_path)
    assert [("7.txt", "T\n\nwords\n", written)] == [
        (path.name, path.read_text(encoding="utf-8"), path.stat().st_mtime_ns)
        for path in folder.iterdir()
    ]


def test_accepted_pages_are_one_of_all_or_one_of_each_group() -> None:
    """ "any" is one gold with alternatives, groups are a gold each."""
    pages = [{"doc_id": "a", "page": 1}, {"doc_id": "b", "page": 2}]
    key = {"needed": "any", "accepted_pages": pages}

    assert (Gold((Span("a", 1, 1), Span("b", 2, 2))),) == accepted_pages(key)
    groups = accepted_pages({**key, "needed": [pages[:1], pages[1:]]})
    assert (Gold((Span("a", 1, 1),)), Gold((Span("b", 2, 2),))) == groups
    assert groups == unique([*groups, *groups])
