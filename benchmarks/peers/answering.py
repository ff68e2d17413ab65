"""What the benchmark and a peer that answers tell each other.

The task is a JSON file; answers are lines of JSON that are added one by one, so an interrupted
run loses nothing. The model server's key is in the environment alone.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers.counting import Counter, Counts

KEY = "OPENAI_API_KEY"
"""The variable that holds the key of the model server."""
TIMEOUT = "timeout"
"""The status of a question for which the time was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTask:
    """What a peer is to answer, and with what."""

    arm: str
    """Which of the peer's ways of answering."""
    documents: tuple[tuple[str, str], ...]
    """Document id and path of each PDF."""
    questions: tuple[tuple[str, str], ...]
    """Question id and text."""
    vectors: str
    """Where vectors of texts are kept between runs."""
    base_url: str
    """The model server, ending in /v1."""
    model: str
    digest: str
    """SHA-256 of the weights."""
    seconds: float
    """For one question."""
    minutes: float
    """No question is begun after that."""


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


def write_task(task: AnswerTask, path: Path) -> None:
    """Write a task for a peer."""
    path.write_text(json.dumps(asdict(task)), encoding="utf-8")


def read_task(path: Path) -> AnswerTask:
    """Return the task in a file."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["documents"] = tuple((doc_id, file) for doc_id, file in raw["documents"])
    raw["questions"] = tuple((qid, text) for qid, text in raw["questions"])
    return AnswerTask(**raw)


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
            written = _answered(answering, question, counter)
            seconds = time.perf_counter() - started
            row = _row(task, qid, question, written, counter.counts, seconds)
            _add(row | {"settings": settings}, recordings)


def _answered(answering: Answering, question: str, counter: Counter) -> Written:
    try:
        return answering(question)
    except TimeoutError:
        counter.drop()
        return Written("", (), TIMEOUT)


def _row(
    task: AnswerTask, qid: str, question: str, written: Written, counts: Counts, seconds: float
) -> dict[str, object]:
    return {
        "arm": task.arm,
        "qid": qid,
        "question": question,
        **asdict(written),
        **asdict(counts),
        "seconds": round(seconds, 2),
        "model": task.model,
        "digest": task.digest,
    }


def _add(row: dict[str, object], path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def key() -> str:
    """Return the key of the model server."""
    return os.environ[KEY]


def first_places(places: Sequence[Place]) -> tuple[Place, ...]:
    """Return places, each once, in their order.

    >>> first_places([Place("a", 2, 2), Place("a", 2, 2)])
    (Place(doc_id='a', start_page=2, end_page=2),)
    """
    return tuple(dict.fromkeys(places))
