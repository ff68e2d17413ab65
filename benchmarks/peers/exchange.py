"""What the benchmark and a peer's process tell each other, as JSON files.

Answers are lines that are added one by one, so an interrupted run loses nothing. The model server's
key is in the environment alone. Nothing here imports the benchmarks' other modules.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.peers.counting import Counter

KEY = "OPENAI_API_KEY"
"""The variable that holds the key of the model server."""
TIMEOUT = "timeout"
"""The status of a question for which the time was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a peer is to look for."""

    documents: tuple[tuple[str, str], ...]
    """Document id and path of each file, a PDF or a text."""
    questions: tuple[tuple[str, str], ...]
    """Question id and text."""
    vectors: str
    """Where vectors of texts are kept between runs."""
    first: int = 0
    """Hits that are looked at."""


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


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit of a peer."""

    doc_id: str
    start: int
    end: int
    chars: int


Retriever = Callable[[str], Sequence[Hit]]
Answers = dict[str, tuple[float, Sequence[Hit]]]
"""Milliseconds and hits by question id."""


def asked(retriever: Retriever, task: Task) -> Answers:
    """Return what `retriever` finds for each question, after one that is not counted."""
    retriever(task.questions[0][1])
    answers: Answers = {}
    for qid, text in task.questions:
        started = time.perf_counter()
        hits = retriever(text)
        answers[qid] = (1000 * (time.perf_counter() - started), hits)
    return answers


def write_answers(arms: dict[str, tuple[int, Answers]], path: Path) -> None:
    """Write the answers of each way of searching, with the number of its chunks."""
    raw = {
        name: {
            "chunks": chunks,
            "answers": {
                qid: {"ms": ms, "hits": [[h.doc_id, h.start, h.end, h.chars] for h in hits]}
                for qid, (ms, hits) in answers.items()
            },
        }
        for name, (chunks, answers) in arms.items()
    }
    path.write_text(json.dumps(raw), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Place:
    """Pages that a peer shows or cites."""

    doc_id: str
    start_page: int
    end_page: int


@dataclass(frozen=True, slots=True)
class Written:
    """What a peer says to one question."""

    answer: str
    citations: tuple[Place, ...]
    status: str = ""
    """Empty where the text alone tells a refusal."""


Answering = Callable[[str], Written]
"""Question to answer; raises TimeoutError."""


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
                "question": question,
                **asdict(written),
                **asdict(counter.counts),
                "seconds": round(time.perf_counter() - started, 2),
                "model": task.model,
                "digest": task.digest,
                "settings": settings,
            }
            with recordings.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
