"""What a second round is worth: the same questions with one round, and with the loop.

Replies are recorded one by one, question after question in every way, so an interrupted run has
whole questions and goes on where it stopped. Without `live` everything is replayed.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import answers
from benchmarks.keeping import keep
from benchmarks.loop_sets import SETS, LoopSet, SetName, index_for, recordings_of, rounds
from benchmarks.places import RECORDINGS, RESULTS
from benchmarks.questions import Row, read
from benchmarks.recording import MissingRecordingError, RecordedChat
from benchmarks.tables import markdown
from research_agent.app.agent import ResearchAgent
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.ports import Ports
from research_agent.settings import Settings

HEADS = (
    "questions of",
    "way",
    "questions",
    "not recorded",
    "right before",
    "second rounds",
    "changed",
    "fixed",
    "broken",
    "sign test, one-sided",
    "calls more a second round",
    "tokens more",
    "seconds more",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question with one round and with more."""

    source: str
    way: str
    qid: str
    rounds: int
    right_before: bool
    right_after: bool
    changed: bool
    """Another status, or another text."""
    calls: int
    """More than with one round, as are tokens and seconds."""
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is to be asked."""

    weights: str
    live: bool = False
    """Ask the model for what is not recorded."""
    minutes: float = 45.0
    """No question is begun after that."""


def run(names: Sequence[SetName], chosen: Chosen, *, cache: str) -> str:
    """Ask what can be asked, keep rows and table, and return the table.

    Rows of sets that are not among `names` stay as they are.
    """
    RECORDINGS.mkdir(exist_ok=True)
    rows = RESULTS / "loop.jsonl"
    before = [Pair(**row) for row in read(rows)] if rows.exists() else []
    pairs = [pair for pair in before if pair.source not in names]
    until = time.monotonic() + 60 * chosen.minutes
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        for name in names:
            pairs += _pairs(SETS[name], chosen, place, until)
    text = table(pairs, {name: len(SETS[name].questions()) for name in SETS})
    keep("loop", map(asdict, pairs), text)
    return text


def table(pairs: Sequence[Pair], questions: Mapping[SetName, int]) -> str:
    """Return a row for each way of each set, which has so many questions."""
    lines = []
    for name, of in questions.items():
        for way in SETS[name].ways:
            mine = [pair for pair in pairs if (pair.source, pair.way) == (name, way)]
            lines += [_line(name, way, mine, of)] if mine else []
    return markdown(HEADS, lines)


def chance_of(fixed: int, broken: int) -> float:
    """Return how likely so many fixes or more are by chance, of all answers fixed or broken.

    >>> chance_of(3, 0), chance_of(0, 0), round(chance_of(2, 1), 3)
    (0.125, 1.0, 0.5)
    """
    trials = fixed + broken
    return float(sum(comb(trials, i) for i in range(fixed, trials + 1)) / 2**trials)


def _line(name: str, way: str, of: Sequence[Pair], questions: int) -> list[str]:
    again = [pair for pair in of if pair.rounds > 1]
    fixed = sum(pair.right_after and not pair.right_before for pair in of)
    broken = sum(pair.right_before and not pair.right_after for pair in of)
    more = len(again) or 1
    return [
        name,
        way,
        str(len(of)),
        str(questions - len(of)),
        str(sum(pair.right_before for pair in of)),
        str(len(again)),
        str(sum(pair.changed for pair in of)),
        str(fixed),
        str(broken),
        f"{chance_of(fixed, broken):.2f}",
        f"{sum(pair.calls for pair in again) / more:.1f}",
        f"{sum(pair.tokens for pair in again) / more:.0f}",
        f"{sum(pair.seconds for pair in again) / more:.0f}",
    ]


def _pairs(of: LoopSet, chosen: Chosen, cache: Path, until: float) -> Iterator[Pair]:
    """Yield each question that is recorded, or can be asked in time, in each way."""
    index = index_for(of, chosen.weights, cache)
    settings = answers.arm(chosen.weights, "loop", of.settings).settings
    with connect(index, settings, os.environ) as connection, ExitStack() as opened:
        ports = connection.ports
        model = ports.answerer if chosen.live else None
        chat = RecordedChat(model, recordings_of(of, chosen.weights), chosen.weights)
        ports = replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        asking = {
            way: (
                _Asking(opened, chat, ports, rounds(whole, 1), chosen.weights),
                _Asking(opened, chat, ports, whole, chosen.weights),
            )
            for way, whole in of.ways.items()
        }
        for key in of.questions():
            for way, (once, again) in asking.items():
                if time.monotonic() > until:
                    return
                try:
                    after = again(key)
                    before = once(key) if after["rounds"] > 1 else after
                except MissingRecordingError:
                    continue
                yield compared(of, way, key, before, after)


class _Asking:
    """The product with one set of settings."""

    def __init__(
        self, opened: ExitStack, chat: RecordedChat, ports: Ports, settings: Settings, weights: str
    ) -> None:
        self._way = answers.arm(weights, "loop", settings)
        self._chat = chat
        agent = ResearchAgent(ports, self._way.settings, load_prompts())
        self._agent = opened.enter_context(agent)

    def __call__(self, key: Row) -> dict[str, Any]:
        """Ask one question; MissingRecordingError where a call is missing."""
        return answers.answer(
            lambda key: self._agent.ask(key["question"]), self._chat, key, self._way
        )


def compared(of: LoopSet, way: str, key: Row, before: Row, after: Row) -> Pair:
    """Return what more rounds have made of one answer."""
    tokens = [row["prompt_tokens"] + row["completion_tokens"] for row in (before, after)]
    shown = [(row["status"], row["answer"]) for row in (before, after)]
    return Pair(
        source=of.name,
        way=way,
        qid=key["qid"],
        rounds=after["rounds"],
        right_before=of.is_right(before, key),
        right_after=of.is_right(after, key),
        changed=shown[0] != shown[1],
        calls=after["llm_calls"] - before["llm_calls"],
        tokens=tokens[1] - tokens[0],
        seconds=round(after["model_seconds"] - before["model_seconds"], 2),
    )
