"""The question sets that retrieval is measured on, and their documents as files."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.metrics import Gold, Span
from benchmarks.places import DATA, PDFS, ROOT
from benchmarks.questions import Row, read

NIST = DATA / "nist-pqc"
EXTRA = ROOT / "benchmarks" / "questions" / "nist-extra.jsonl"
BY_NAME = ROOT / "benchmarks" / "questions" / "nist-named.jsonl"
IR = DATA / "ir"
NIST_KS = (1, 3, 5, 8)
IR_KS = (1, 3, 5, 10)
MULTIHOP = DATA / "multihop"
MULTIHOP_NAMES = ("hotpotqa", "musique")
"""Questions whose answer needs several documents; each document is one paragraph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what has to be found for it."""

    qid: str
    text: str
    golds: tuple[Gold, ...]
    accepted: tuple[Gold, ...] = ()
    """What a revised key wants instead; empty where there is none."""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Questions over one collection of documents."""

    name: str
    questions: tuple[Question, ...]
    ks: tuple[int, ...]
    corpus: Path | None = None
    """A JSON Lines file of documents that become text files; None: the NIST PDFs."""

    @property
    def by_document(self) -> bool:
        """Whether whole documents are ranked: then a document counts at its first hit only."""
        return self.corpus is not None


def data_set(name: str) -> DataSet:
    """Return the data set `name`, one of `NAMES`, `MULTIHOP_NAMES`, `NEAR` or `NAMED`."""
    if name == "nist":
        return DataSet(name=name, questions=tuple(_nist()), ks=NIST_KS)
    if name == "nist-extra":
        return DataSet(name=name, questions=tuple(_extra(read(EXTRA))), ks=NIST_KS)
    if name == NAMED:
        return DataSet(name=name, questions=tuple(_extra(read(BY_NAME))), ks=NIST_KS)
    if name == NEAR:
        return DataSet(name=name, questions=tuple(_near()), ks=NIST_KS)
    if name in MULTIHOP_NAMES:
        folder = MULTIHOP / name
        corpus, asked = folder / "corpus.jsonl", read(folder / "questions.jsonl")
        questions = tuple(_with_supports(asked))
        return DataSet(name=name, questions=questions, ks=IR_KS, corpus=corpus)
    folder = IR / name
    questions = tuple(_judged(folder))
    return DataSet(name=name, questions=questions, ks=IR_KS, corpus=folder / "corpus.jsonl")


NEAR = "nist-near"
"""The unanswerable questions, with the page that comes nearest: nothing is tuned on them."""
NAMED = "nist-named"
"""Every algorithm, table and abbreviation of the NIST PDFs, asked for by its name."""
NAMES = ("nist", "nist-extra", "cranfield", "scifact")


def documents(data: DataSet, cache: Path) -> Path:
    """Return the folder of a data set's documents; texts are written below `cache` once.

    A text file holds title, empty line, text, and is named by the document's id. The title of a
    paragraph of an encyclopedia is its heading, underlined as text files have it. Documents
    without a word are left out, so are files that are up to date.
    """
    if data.corpus is None:
        return PDFS
    folder = cache / "documents" / data.name
    folder.mkdir(parents=True, exist_ok=True)
    for row in read(data.corpus):
        name, line = (row["id"], "\n" + "=" * 9) if "id" in row else (row["_id"], "")
        path, text = folder / f"{name}.txt", f"{row['title']}{line}\n\n{row['text']}\n"
        if text.strip() and not (path.exists() and path.read_text(encoding="utf-8") == text):
            path.write_text(text, encoding="utf-8")
    return folder


def unique(golds: Sequence[Gold]) -> tuple[Gold, ...]:
    """Return the golds without repetitions, in their order.

    >>> len(unique([Gold((Span("a"),)), Gold((Span("a"),))]))
    1
    """
    return tuple(dict.fromkeys(golds))


def accepted_pages(key: Row) -> tuple[Gold, ...]:
    """Return what a row of gold_v2 wants: any accepted page, or one page of each group.

    >>> page = {"doc_id": "a", "page": 3}
    >>> accepted_pages({"needed": [[page], [page]], "accepted_pages": [page]})[1].spans
    (Span(doc_id='a', start=3, end=3),)
    """
    groups = [key["accepted_pages"]] if key["needed"] == "any" else key["needed"]
    return tuple(
        Gold(tuple(Span(page["doc_id"], page["page"], page["page"]) for page in group))
        for group in groups
    )


def _nist() -> list[Question]:
    """Return the answerable questions with raw gold, and with accepted pages beside it."""
    keys = {row["qid"]: row for row in read(NIST / "gold_v2.jsonl")}
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=unique([_gold(span) for span in row["gold"]]),
            accepted=accepted_pages(keys[row["qid"]]),
        )
        for row in read(NIST / "questions.jsonl")
        if row["answerable"]
    ]


def _near() -> list[Question]:
    """Return the questions that the documents do not answer, with the page that comes nearest."""
    found = []
    for row in read(NIST / "unanswerable.jsonl"):
        page = row["near"]
        gold = Gold((Span(page["doc_id"], page["page"], page["page"]),))
        found.append(Question(qid=row["qid"], text=row["question"], golds=(gold,)))
    return found


def _extra(rows: Sequence[Row]) -> list[Question]:
    """Return the project's own questions; alternatives of one gold stand in one list."""
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=tuple(
                Gold(tuple(span for page in group for span in _gold(page).spans))
                for group in row["gold"]
            ),
            kind=row["kind"],
        )
        for row in rows
    ]


def _with_supports(rows: Sequence[Row]) -> list[Question]:
    """Return the questions of a multi-hop set; each supporting paragraph is a gold."""
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=tuple(Gold((Span(name),)) for name in row["supporting_ids"]),
            kind=row.get("type", f"{row.get('hops', '')} hops"),
        )
        for row in rows
    ]


def _judged(folder: Path) -> list[Question]:
    """Return the queries that have judgements; a document is a gold with its grade."""
    golds: defaultdict[str, list[Gold]] = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        golds[query].append(Gold((Span(document),), int(grade)))
    return [
        Question(qid=row["_id"], text=row["text"], golds=tuple(golds[row["_id"]]))
        for row in read(folder / "queries.jsonl")
        if golds[row["_id"]]
    ]


def _gold(span: Mapping[str, object]) -> Gold:
    start, end = int(str(span["start_page"])), int(str(span["end_page"]))
    return Gold((Span(str(span["doc_id"]), start, end),))
