"""Questions whose answers stand in chunks that can be told by what they are: the filter's sets."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from benchmarks.datasets import data_set
from benchmarks.metrics import Gold, Span, matches
from benchmarks.places import DATA, PDFS, ROOT
from benchmarks.questions import Row, read
from research_agent.types import Chunk

Kind = Literal["operation", "schema", "security", "pages"]
KINDS: tuple[Kind, ...] = ("operation", "schema", "security")
"""What is to be found in API descriptions."""
SPECS = DATA / "openapi"
EXTRA = ROOT / "benchmarks" / "questions" / "openapi-extra.jsonl"
NAMES = ("openapi", "openapi-extra", "nist")


@dataclass(frozen=True, slots=True)
class Sought:
    """One thing that has to be among the evidence; any part of it will do."""

    kind: Kind
    name: str = ""
    """Of an operation its id, of a schema or a security scheme its name."""
    gold: Gold | None = None
    """Pages of which any one will do, for the kind "pages" alone."""

    def is_in(self, chunk: Chunk) -> bool:
        """Return whether a chunk holds it or a part of it.

        >>> part = Chunk("x", "box", "GET /files listFiles (list files)", kind="operation")
        >>> Sought("operation", "listFiles").is_in(part), Sought("schema", "File").is_in(part)
        (True, False)
        """
        if self.gold:
            return matches(Span(chunk.doc_id, chunk.start_page, chunk.end_page), self.gold)
        if chunk.kind != self.kind:
            return False
        if self.kind == "operation":
            return self.name == operation_id(chunk)
        return self.name in chunk.section[-1:]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and all that has to be found for it; nothing where it has no answer."""

    qid: str
    text: str
    sought: tuple[Sought, ...]

    def is_relevant(self, chunk: Chunk) -> bool:
        """Return whether a chunk holds something of what is sought."""
        return any(one.is_in(chunk) for one in self.sought)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions over one index."""

    name: str
    index: str
    """Name of the index's folder."""
    questions: tuple[Question, ...]


def question_set(name: str) -> QuestionSet:
    """Return the set `name`, one of `NAMES`; its questions in an order that is fixed by chance.

    So the first few of them are a sample.
    """
    if name == "nist":
        asked = [
            Question(q.qid, q.text, tuple(Sought("pages", gold=gold) for gold in q.accepted))
            for q in data_set("nist").questions
        ]
        return QuestionSet(name, "nist", shuffled(asked))
    rows = read(EXTRA if name == "openapi-extra" else SPECS / "questions.jsonl")
    return QuestionSet(name, "openapi", shuffled([_of_api(row) for row in rows]))


def shuffled(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the questions ordered by the hash of their ids."""
    return tuple(sorted(questions, key=lambda q: sha256(q.qid.encode()).hexdigest()))


def documents(given: QuestionSet, cache: Path) -> Path:
    """Return the folder of a set's documents; API descriptions are copied below `cache` once."""
    if given.index == "nist":
        return PDFS
    folder = cache / "documents" / given.index
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(SPECS.glob("*.json")):
        copy = folder / path.name
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            shutil.copyfile(path, copy)
    return folder


def operation_id(chunk: Chunk) -> str:
    """Return the id of an operation from the first line of its chunk: method, path, id.

    >>> operation_id(Chunk("x", "box", "GET /files", kind="operation"))
    ''
    """
    words = chunk.text.partition("\n")[0].split()
    return words[2] if len(words) > 2 else ""  # noqa: PLR2004 (method, path, id)


def _of_api(row: Row) -> Question:
    gold: Mapping[str, Sequence[str | Mapping[str, str]]] = row["gold"]
    operations = [o if isinstance(o, str) else o["operationId"] for o in gold["operations"]]
    sought = [
        *(Sought("operation", name) for name in operations),
        *(Sought("schema", str(name)) for name in gold["schemas"]),
        *(Sought("security", str(name)) for name in gold["security"]),
    ]
    return Question(row["qid"], row["question"], tuple(sought))
