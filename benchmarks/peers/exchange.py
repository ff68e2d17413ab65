"""What the benchmark and a peer's process tell each other, as JSON files."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Task:
    """What a peer is to do."""

    documents: tuple[tuple[str, str], ...]
    """Document id and path of each file, a PDF or a text."""
    questions: tuple[tuple[str, str], ...]
    """Question id and text."""
    first: int
    """Hits that are looked at."""
    vectors: str
    """Where vectors of texts are kept between runs."""


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


def write_task(task: Task, path: Path) -> None:
    """Write a task for a peer."""
    path.write_text(json.dumps(asdict(task)), encoding="utf-8")


def read_task(path: Path) -> Task:
    """Return the task in a file."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["documents"] = tuple((doc_id, file) for doc_id, file in raw["documents"])
    raw["questions"] = tuple((qid, text) for qid, text in raw["questions"])
    return Task(**raw)


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
