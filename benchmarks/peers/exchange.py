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


Hit = tuple[str, int, int]
"""Document id, first and last page."""
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


@dataclass(frozen=True, slots=True)
class Written:
    """What a peer says to one question."""

    answer: str
    citations: tuple[Hit, ...]
    """Pages that it shows or cites."""
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
                "answer": written.answer,
                "citations": [
                    {"doc_id": doc_id, "start_page": start, "end_page": end}
                    for doc_id, start, end in written.citations
                ],
                "status": written.status,
                **asdict(counter.counts),
                "seconds": round(time.perf_counter() - started, 2),
                "model": task.model,
                "digest": task.digest,
                "settings": settings,
            }
            with recordings.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
