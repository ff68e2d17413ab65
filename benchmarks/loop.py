"""What a second round is worth: the same NIST questions with one round, and with the loop.

Everything is replayed from the recordings of `python -m benchmarks answers`. A question that took
one round is the same in every way, so only those that took more are asked again.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from math import comb

from benchmarks import answers
from benchmarks.answers_report import kept
from benchmarks.places import PDFS, RECORDINGS, RESULTS
from benchmarks.questions import Row, nist_keys, scorer
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement_arms import changed
from benchmarks.tables import markdown
from research_agent.app.agent import ResearchAgent
from research_agent.app.indexing import index_for_docs
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.settings import Settings

ONE = changed(Settings(), budget={"rounds": 1})
TWO = changed(Settings(), budget={"rounds": 2})
WAYS: Mapping[str, Settings] = {
    "two rounds": TWO,
    "again not for entropy": changed(TWO, verify={"max_entropy": 10.0}),
    "again not for the asked value": changed(TWO, verify={"asked_value": "off"}),
}
"""Each is compared with one round of the same settings."""
HEADS = (
    "way",
    "questions",
    "not recorded",
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


def run(weights: str) -> str:
    """Replay what is recorded, keep rows and table, and return the table."""
    first = {row["qid"] for row in kept(f"{weights}-two-rounds") if row["rounds"] == 1}
    keys = [key for key in nist_keys() if key.get("counted", True)]
    asked = [key for key in keys if key["qid"] not in first]
    pairs = list(_pairs(weights, asked))
    text = table(pairs, len(keys), len(asked))
    stem = RESULTS / "loop"
    stem.with_suffix(".md").write_text(f"{text}\n", encoding="utf-8")
    lines = "".join(f"{json.dumps(asdict(pair))}\n" for pair in pairs)
    stem.with_suffix(".jsonl").write_text(lines, encoding="utf-8")
    return text


def table(pairs: Sequence[Pair], questions: int, asked: int) -> str:
    """Return a row for each way; `asked` of the `questions` took more than one round."""
    return markdown(HEADS, [_line(way, pairs, questions, asked) for way in WAYS])


def chance_of(fixed: int, broken: int) -> float:
    """Return how likely so many fixes or more are by chance, of all answers fixed or broken.

    >>> chance_of(3, 0), chance_of(0, 0), round(chance_of(2, 1), 3)
    (0.125, 1.0, 0.5)
    """
    trials = fixed + broken
    return float(sum(comb(trials, i) for i in range(fixed, trials + 1)) / 2**trials)


def _line(way: str, pairs: Sequence[Pair], questions: int, asked: int) -> list[str]:
    of = [pair for pair in pairs if pair.way == way]
    again = [pair for pair in of if pair.rounds > 1]
    fixed = sum(pair.right_after and not pair.right_before for pair in of)
    broken = sum(pair.right_before and not pair.right_after for pair in of)
    more = len(again) or 1
    return [
        way,
        str(questions - asked + len(of)),
        str(asked - len(of)),
        str(len(again)),
        str(sum(pair.changed for pair in of)),
        str(fixed),
        str(broken),
        f"{chance_of(fixed, broken):.2f}",
        f"{sum(pair.calls for pair in again) / more:.1f}",
        f"{sum(pair.tokens for pair in again) / more:.0f}",
        f"{sum(pair.seconds for pair in again) / more:.0f}",
    ]


def _pairs(weights: str, keys: Sequence[Row]) -> Iterator[Pair]:
    """Yield each question that can be replayed both ways, one way after the other."""
    index = index_for_docs([str(PDFS)], answers.arm(weights, "", ONE).settings, quiet=True)
    recordings = Recordings(RECORDINGS / f"answers-{weights}.jsonl", weights)
    for way, settings in WAYS.items():
        one = replace(settings, budget=ONE.budget)
        before = _asked(weights, one, index, recordings, keys)
        after = _asked(weights, settings, index, recordings, keys)
        for key in keys:
            if key["qid"] in before and key["qid"] in after:
                yield compared(way, key, before[key["qid"]], after[key["qid"]])


def _asked(
    weights: str, settings: Settings, index: str, recordings: Recordings, keys: Sequence[Row]
) -> dict[str, Row]:
    way = answers.arm(weights, "loop", settings)
    rows: dict[str, Row] = {}
    with connect(index, way.settings, os.environ) as connection, ExitStack() as opened:
        chat = RecordedChat(None, recordings, weights)
        ports = connection.ports
        ports = replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        agent = opened.enter_context(ResearchAgent(ports, way.settings, load_prompts()))
        for key in keys:
            try:
                row = answers.answer(lambda key: agent.ask(key["question"]), chat, key, way)
            except MissingRecordingError:
                continue
            rows[key["qid"]] = row
    return rows


def compared(way: str, key: Row, before: Row, after: Row) -> Pair:
    """Return what more rounds have made of one answer."""
    right = [scorer()([row], [key])["details"][0]["right"] for row in (before, after)]
    tokens = [row["prompt_tokens"] + row["completion_tokens"] for row in (before, after)]
    shown = [(row["status"], row["answer"]) for row in (before, after)]
    return Pair(
        way=way,
        qid=key["qid"],
        rounds=after["rounds"],
        right_before=bool(right[0]),
        right_after=bool(right[1]),
        changed=shown[0] != shown[1],
        calls=after["llm_calls"] - before["llm_calls"],
        tokens=tokens[1] - tokens[0],
        seconds=round(after["model_seconds"] - before["model_seconds"], 2),
    )
