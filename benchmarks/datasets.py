"""The question sets: questions with what has to be found, and their documents as files."""

import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from benchmarks.common import DATA, PDFS, QUESTIONS, REFUSALS, Row, read
from research_agent.evaluation.ranking import Gold, Span, matches
from research_agent.types import Chunk

NIST = DATA / "nist-pqc"
MULTIHOP = DATA / "multihop"
SPECS = DATA / "openapi"
NIST_KS, IR_KS = (1, 3, 5, 8), (1, 3, 5, 10)
NAMES = ("nist", "nist-extra", "cranfield", "scifact", "indonesian", "chinese")
LANGUAGE_NAMES = ("indonesian", "chinese")
"""Articles of a constitution, each a document, most of them with a question."""
MULTIHOP_NAMES = ("hotpotqa", "musique")
"""Questions whose answer needs several documents; each document is one paragraph."""
API, MIXED = "openapi", "conversations"
"""Collections without a set of rankings: API descriptions, and all documents but NIST's."""
SOUGHT_NAMES = ("openapi", "openapi-extra", "nist")
Kind = Literal["operation", "schema", "security", "pages"]
_GROUNDED = ("contractnli", "summedits-ectsum", "summedits-news", "summedits-sales_email")
"""Of grounding/pairs_dev.jsonl: contracts, earnings calls, news, sales e-mails."""
_ROW = re.compile(r"(?:-nda-\d+|_[^_]*)$")
"""What the id of such a row has behind the name of its document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what has to be found for it."""

    qid: str
    text: str
    golds: tuple[Gold, ...]
    accepted: tuple[Gold, ...] = ()
    """What a revised key wants instead; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Questions over one collection of documents."""

    name: str
    questions: tuple[Question, ...]
    ks: tuple[int, ...] = NIST_KS
    corpus: Path | None = None
    """A JSON Lines file of documents that become text files; None: the NIST PDFs."""

    @property
    def by_document(self) -> bool:
        """Whether whole documents are ranked: then a document counts at its first hit only."""
        return self.corpus is not None

    @property
    def index(self) -> str:
        """Name of its index; sets over the NIST PDFs share one."""
        return self.name if self.by_document else "nist"


def data_set(name: str) -> DataSet:
    """Return the data set `name`, one of `NAMES` or `MULTIHOP_NAMES`."""
    if name == "nist":
        return DataSet(name=name, questions=tuple(_nist()))
    if name == "nist-extra":
        return DataSet(name=name, questions=tuple(_extra(read(QUESTIONS / f"{name}.jsonl"))))
    if name in LANGUAGE_NAMES:
        path = QUESTIONS / f"{name}.jsonl"
        return DataSet(name=name, questions=tuple(_of_paragraphs(read(path))), corpus=path)
    folder = (MULTIHOP if name in MULTIHOP_NAMES else DATA / "ir") / name
    questions = tuple((_with_supports if name in MULTIHOP_NAMES else _judged)(folder))
    return DataSet(name=name, questions=questions, ks=IR_KS, corpus=folder / "corpus.jsonl")


def documents(name: str, cache: Path) -> list[Path]:
    """Return the folders of the documents of an index; what is no file is written below `cache`.

    A text file holds title, empty line, text, and is named by the document's id. The title of a
    paragraph of an encyclopedia is its heading, underlined as text files have it. Documents
    without a word are left out, so are files that are up to date.
    """
    if name == "nist":
        return [PDFS]
    if name == MIXED:
        return [*documents(API, cache), *documents("hotpotqa", cache), _texts(cache)]
    folder = cache / "documents" / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == API:
        for path in sorted(SPECS.glob("*.json")):
            copy = folder / path.name
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                shutil.copyfile(path, copy)
        return [folder]
    corpus = data_set(name).corpus
    for row in read(corpus) if corpus else ():
        named, line = (row["id"], "\n" + "=" * 9) if "id" in row else (row["_id"], "")
        _write(folder / f"{named}.txt", f"{row['title']}{line}\n\n{row['text']}\n")
    return [folder]


def _write(path: Path, text: str) -> None:
    if text.strip() and not (path.exists() and path.read_text(encoding="utf-8") == text):
        path.write_text(text, encoding="utf-8")


def _texts(cache: Path) -> Path:
    """Write the texts of the grounding data, each once, and abstracts of the refusals."""
    folder = cache / "documents" / "texts"
    folder.mkdir(parents=True, exist_ok=True)
    found = dict[str, str]()
    for row in read(DATA / "grounding" / "pairs_dev.jsonl"):
        if row["source"] in _GROUNDED:
            name = _ROW.sub("", row["id"].removeprefix("summedits-"))
            found.setdefault(f"{name}.txt", row["evidence"])
    passages = dict[str, str]()
    for row in read(REFUSALS):
        if row["source"] == "pubmedqa":
            for i, passage in enumerate(row["passages"]):
                passages.setdefault(passage, f"{row['id']}-{i}.txt")
    for name, text in (found | {name: passage for passage, name in passages.items()}).items():
        _write(folder / name, f"{text}\n")
    return folder


def accepted_pages(key: Row) -> tuple[Gold, ...]:
    """Return what a row of gold_v2 wants: any accepted page, or one page of each group."""
    groups = [key["accepted_pages"]] if key["needed"] == "any" else key["needed"]
    return tuple(
        Gold(tuple(Span(page["doc_id"], page["page"], page["page"]) for page in group))
        for group in groups
    )


def _nist() -> list[Question]:
    keys = {row["qid"]: row for row in read(NIST / "gold_v2.jsonl")}
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=tuple(dict.fromkeys(Gold((_pages(span),)) for span in row["gold"])),
            accepted=accepted_pages(keys[row["qid"]]),
        )
        for row in read(NIST / "questions.jsonl")
        if row["answerable"]
    ]


def _extra(rows: Sequence[Row]) -> list[Question]:
    """Return the project's own questions; alternatives of one gold are in one list."""
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=tuple(Gold(tuple(_pages(page) for page in group)) for group in row["gold"]),
        )
        for row in rows
    ]


def _of_paragraphs(rows: Sequence[Row]) -> list[Question]:
    return [
        Question(qid=row["id"], text=row["question"], golds=(Gold((Span(row["id"]),)),))
        for row in rows
        if "question" in row
    ]


def _with_supports(folder: Path) -> list[Question]:
    return [
        Question(
            qid=row["qid"],
            text=row["question"],
            golds=tuple(Gold((Span(name),)) for name in row["supporting_ids"]),
        )
        for row in read(folder / "questions.jsonl")
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


def _pages(span: Mapping[str, object]) -> Span:
    return Span(str(span["doc_id"]), int(str(span["start_page"])), int(str(span["end_page"])))


@dataclass(frozen=True, slots=True)
class Sought:
    """One thing that has to be among the evidence; any part of it will do."""

    kind: Kind
    name: str = ""
    """Of an operation its id, of a schema or a security scheme its name."""
    gold: Gold | None = None
    """Pages of which any one will do, for the kind "pages" alone."""

    def is_in(self, chunk: Chunk) -> bool:
        """Return whether a chunk holds it or a part of it."""
        if self.gold:
            return matches(Span(chunk.doc_id, chunk.start_page, chunk.end_page), self.gold)
        if chunk.kind != self.kind:
            return False
        if self.kind == "operation":  # (its first line: method, path, id)
            return self.name in chunk.text.partition("\n")[0].split()[2:3]
        return self.name in chunk.section[-1:]


@dataclass(frozen=True, slots=True)
class SoughtQuestion:
    """A question, and all that has to be found for it; nothing where it has no answer."""

    qid: str
    text: str
    sought: tuple[Sought, ...]

    def is_relevant(self, chunk: Chunk) -> bool:
        """Return whether a chunk holds something of what is sought."""
        return any(one.is_in(chunk) for one in self.sought)


def sought_questions(name: str) -> tuple[SoughtQuestion, ...]:
    """Return the questions of one of `SOUGHT_NAMES`, by the hash of their ids: a prefix samples."""
    if name == "nist":
        asked = [
            SoughtQuestion(q.qid, q.text, tuple(Sought("pages", gold=gold) for gold in q.accepted))
            for q in _nist()
        ]
    else:
        own = QUESTIONS / f"{name}.jsonl"
        rows = read(own if own.exists() else SPECS / "questions.jsonl")
        asked = [SoughtQuestion(row["qid"], row["question"], _of_api(row)) for row in rows]
    return tuple(sorted(asked, key=lambda q: sha256(q.qid.encode()).hexdigest()))


def _of_api(row: Row) -> tuple[Sought, ...]:
    gold: Mapping[str, Sequence[str | Mapping[str, str]]] = row["gold"]
    operations = [o if isinstance(o, str) else o["operationId"] for o in gold["operations"]]
    return (
        *(Sought("operation", name) for name in operations),
        *(Sought("schema", str(name)) for name in gold["schemas"]),
        *(Sought("security", str(name)) for name in gold["security"]),
    )
