"""What the benchmark and a peer's process tell each other, as JSON files.

Answers are lines that are added one by one, so an interrupted run loses nothing; questions are not
among them. The model server's key is in the environment alone. Nothing here imports the
benchmarks' other modules.
"""

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from benchmarks.peers.counting import Counter
from research_agent.models.adapters.minilm import MiniLM
from research_agent.models.adapters.multilingual import MultilingualE5
from research_agent.models.adapters.tokens import Cl100k

KEY = "OPENAI_API_KEY"
"""The variable that holds the key of the model server."""
REFUSED = "not found in provided docs"
STRICT = (
    "{context}\n\nQuestion: {question}\n\n"
    "Answer the question from the text above, in at most three sentences, with the exact numbers "
    f"and names that it gives. If it does not state exactly what is asked, say: {REFUSED}"
)
"""What we would write for a peer: evidence first, and words to refuse with."""
WIDE = 30
"""Candidates, as many as the product takes."""
TIMEOUT = "timeout"
"""The status of a question for which the time was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a peer is to look for."""

    documents: tuple[tuple[str, str], ...]
    """Document id and path of each file, a PDF or a text."""
    questions: tuple[tuple[str, str], ...]
    """Question id and text."""
    first: int = 0
    """Hits that are looked at."""
    multilingual: bool = False
    """Embed with the model for many languages, as the product does for these documents."""
    evidence_tokens: int = 0
    """As many chunks are shown as reach this; 0: as many as the way of answering says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTask(Task):
    """What a peer is to answer, and with what."""

    arm: str
    """Which of the peer's ways of answering."""
    base_url: str
    """The model server, ending in /v1."""
    model: str
    digest: str
    """SHA-256 of the weights."""
    seconds: float
    """For one question."""
    minutes: float
    """No question is begun after that."""

    @property
    def key(self) -> str:
        """The key of the model server."""
        return os.environ[KEY]


SomeTask = TypeVar("SomeTask", bound=Task)


def write_task(task: Task, path: Path) -> None:
    """Write a task for a peer."""
    path.write_text(json.dumps(asdict(task)), encoding="utf-8")


def read_task(path: Path, kind: type[SomeTask]) -> SomeTask:
    """Return the task in a file."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    for name in ("documents", "questions"):
        raw[name] = tuple((one, other) for one, other in raw[name])
    return kind(**raw)


Hit = tuple[str, int, int, str]
"""Document id, first and last page, and the text that was found."""
CITED = ("doc_id", "start_page", "end_page", "text")
Retriever = Callable[[str], Sequence[Hit]]
Answers = dict[str, dict[str, object]]
"""Milliseconds and hits by question id."""


def asked(retriever: Retriever, task: Task) -> Answers:
    """Return what `retriever` finds for each question, after one that is not counted."""
    retriever(task.questions[0][1])
    answers: Answers = {}
    for qid, text in task.questions:
        started = time.perf_counter()
        hits = retriever(text)
        answers[qid] = {"ms": 1000 * (time.perf_counter() - started), "hits": hits}
    return answers


def write_answers(arms: dict[str, tuple[int, Answers]], path: Path) -> None:
    """Write the answers of each way of searching, with the number of its chunks."""
    raw = {name: {"chunks": chunks, "answers": of} for name, (chunks, of) in arms.items()}
    path.write_text(json.dumps(raw), encoding="utf-8")


class Embedding:
    """One of our embedding models, under the names that LangChain has for it."""

    def __init__(self, *, multilingual: bool = False) -> None:
        """Load the English model, or the one for many languages."""
        self._documents = MultilingualE5() if multilingual else MiniLM()
        self._queries = MultilingualE5(queries=True) if multilingual else self._documents

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._documents.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._queries.embed([text])[0]


@dataclass(frozen=True, slots=True)
class Written:
    """What a peer says to one question."""

    answer: str
    citations: tuple[Hit, ...]
    """Pages that it shows or cites."""
    status: str = ""
    """Empty where the text alone tells a refusal."""
    evidence_tokens: int = 0
    """Of the chunks that it showed the model; 0 where that is not known."""


Answering = Callable[[str], Written]
"""Question to answer; raises TimeoutError."""


def enough(texts: Sequence[str], chunks: int, tokens: int) -> tuple[int, int]:
    """Return how many of the texts are shown, and their tokens.

    Those are the first `chunks`; where `tokens` are given, as many as reach them.
    """
    total, count = 0, Cl100k().count
    for shown, text in enumerate(texts):
        if total >= tokens if tokens else shown == chunks:
            return shown, total
        total += count(text)
    return len(texts), total


def answer_all(
    task: AnswerTask,
    build: Callable[[str], Answering],
    settings: dict[str, object],
    recordings: Path,
) -> None:
    """Answer the questions with what `build` makes for a server's address, and record each.

    Calls and tokens are counted between the peer and the server, the same way for every peer.
    """
    until = time.monotonic() + 60 * task.minutes
    with Counter(task.base_url) as counter:
        answering = build(counter.base_url)
        for qid, question in task.questions:
            if time.monotonic() > until:
                return
            counter.reset()
            started = time.perf_counter()
            try:
                written = answering(question)
            except TimeoutError:
                counter.drop()
                written = Written("", (), TIMEOUT)
            row = {
                "arm": task.arm,
                "qid": qid,
                "answer": written.answer,
                "citations": [dict(zip(CITED, hit, strict=True)) for hit in written.citations],
                "status": written.status,
                "evidence_tokens": written.evidence_tokens,
                **asdict(counter.counts),
                "seconds": round(time.perf_counter() - started, 2),
                "model": task.model,
                "digest": task.digest,
                "settings": settings,
            }
            with open_text(recordings, "at") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def open_text(path: Path, mode: str) -> TextIO:
    """Open a text file, which is compressed where its name ends in .gz."""
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, mode, encoding="utf-8"))
    return cast(TextIO, path.open(mode, encoding="utf-8"))


def run(
    search: Callable[[Task, Path], None] | None,
    build: Callable[[AnswerTask, Any, str], Answering],
    ways: Mapping[str, Any],
) -> None:
    """Do what the command line says: search|answer TASK OUT."""
    what, given, written = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if what == "search" and search:
        search(read_task(given, Task), written)
        return
    task = read_task(given, AnswerTask)
    way = ways[task.arm]
    answer_all(task, partial(build, task, way), asdict(way), written)
