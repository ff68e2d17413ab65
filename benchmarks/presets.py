"""What presets and their rounds are worth: right and supported answers, and what they cost.

Every question is asked with as many rounds as the preset has, and with each smaller number where
the answer took more. Replies are recorded one by one, so an interrupted run goes on where it
stopped; without `--live` everything is replayed, and what is not recorded is counted apart.

The questions and when an answer is right were fixed before any run: facts and pages for NIST, the
answer's spellings and the supporting paragraphs for the multi-hop sets.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Literal, get_args

import click

from benchmarks.answers import row_of
from benchmarks.common import (
    RESULTS,
    Asking,
    Row,
    asks,
    changed,
    every,
    folder,
    keep,
    nist_keys,
    read,
    scorer,
    unhurried,
    with_weights,
)
from benchmarks.datasets import MULTIHOP
from benchmarks.drafts import by_words
from benchmarks.presets_table import report
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.ports import Ports
from research_agent.presets import with_preset
from research_agent.settings import Settings
from research_agent.types.result import ResearchResult

Outcome = Literal["right", "wrong", "refused"]
SampleName = Literal["nist", "hotpotqa", "musique"]
SAMPLES: tuple[SampleName, ...] = get_args(SampleName)
PRESETS = ("local", "full", "seed")
KNOWN = ("answers", "loop", "refinement")
"""Benchmarks whose recordings are used where a prompt is the same."""
MOST = 20
"""Questions of a multi-hop set."""


def settings_of(preset: str, weights: str) -> Settings:
    """Return a preset's settings with these weights and without deadlines."""
    return with_preset(with_weights(weights, unhurried(Settings())), preset)


def keys_of(source: SampleName) -> list[Row]:
    """Return the questions of a sample with their keys.

    NIST: those that count, 20 with an answer and 26 near misses; of the multi-hop sets `MOST`,
    which all have an answer.
    """
    if source == "nist":
        return [key for key in nist_keys() if key.get("counted", True)]
    rows = read(MULTIHOP / source / "questions.jsonl")
    return [{**row, "answerable": True} for row in every(rows, MOST, itemgetter("qid"))]


@click.command("presets")
@asks
@click.option("--preset", default="local", type=click.Choice(PRESETS))
@click.option("--data", "names", multiple=True, type=click.Choice(SAMPLES), help="Default: all.")
def presets_command(*, asking: Asking, preset: str, names: tuple[SampleName, ...]) -> None:
    """Measure a preset and its rounds on NIST and samples of HotpotQA and MuSiQue.

    A run takes the place of the kept rows of the same weights, preset and sample.
    """
    sizes: dict[str, int] = {name: len(keys_of(name)) for name in SAMPLES}
    kept = read(RESULTS / "presets.jsonl")
    names, chosen = names or SAMPLES, Chosen(asking, preset)
    with folder(asking.cache) as place:
        rows = list(asked(names, chosen, place))
    others = [
        row
        for row in kept
        if (row["weights"], row["preset"]) != (asking.weights, preset) or row["source"] not in names
    ]
    text = report(rows if asking.limit else [*others, *rows], sizes)
    if not asking.limit:
        keep("presets", (*others, *rows), text)
    print(text)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be measured."""

    asking: Asking
    preset: str

    @property
    def settings(self) -> Settings:
        """The preset's."""
        return settings_of(self.preset, self.asking.weights)


def asked(names: Sequence[SampleName], chosen: Chosen, cache: Path) -> Iterator[Row]:
    """Yield the rows of all questions: side by side where a server's model is asked."""
    with ExitStack() as stack:
        ports = {name: stack.enter_context(opened(name, cache, chosen.settings)) for name in names}
        replaying = Replaying.of("presets", chosen.asking, ports[names[0]], KNOWN)
        jobs = [(name, key) for name in names for key in chosen.asking.first(keys_of(name))]

        def rows(job: tuple[SampleName, Row]) -> list[Row]:
            name, key = job
            if not chosen.asking.in_time:
                return []
            return rounds_of(name, key, Question(chosen, replaying, ports[name]))

        with ThreadPoolExecutor(chosen.asking.beside(len(jobs))) as threads:
            for of in threads.map(rows, jobs):
                yield from of


@dataclass(frozen=True, slots=True)
class Question:
    """Asks one question with so many rounds at most; raises MissingRecordingError."""

    chosen: Chosen
    replaying: Replaying
    ports: Ports

    def __call__(self, name: SampleName, key: Row, most: int) -> Row:
        """Return the question's row."""
        settings = changed(self.chosen.settings, budget={"rounds": most})
        ports, chat, sampler = self.replaying.within(self.ports)
        with ResearchAgent(ports, settings, load_prompts()) as agent:
            result = agent.ask(key["question"])
        outcome, supported = judged(name, result, key)
        return {
            "weights": self.chosen.asking.weights,
            "preset": self.chosen.preset,
            "source": name,
            "qid": key["qid"],
            "answerable": key["answerable"],
            "most": most,
            "rounds": result.rounds,
            "status": result.status,
            "outcome": outcome,
            "supported": supported,
            "answer": result.answer,
            "calls": result.usage.llm_calls,
            "read": result.usage.prompt_tokens,
            "written": result.usage.completion_tokens,
            "seconds": round(chat.seconds + sampler.seconds, 2),
        }


def rounds_of(name: SampleName, key: Row, ask: Question) -> list[Row]:
    """Return a question's row for each number of rounds of which all calls are recorded.

    An answer that took no more rounds than are allowed is not asked for again.
    """
    found: list[Row] = []
    for most in range(ask.chosen.settings.budget.rounds, 0, -1):
        if found and found[-1]["rounds"] <= most:
            found.append({**found[-1], "most": most})
            continue
        try:
            found.append(ask(name, key, most))
        except MissingRecordingError:
            continue
    return found[::-1]


def judged(source: SampleName, result: ResearchResult, key: Row) -> tuple[Outcome, bool]:
    """Return what an answer is, and whether it cites what supports it.

    That is a page that the key accepts (one of each group where several are needed), or a
    supporting paragraph. An answer to a question without one is "refused" or "wrong". Of an
    unconfirmed answer only its claims count: it begins with the title of the nearest passage.
    """
    if source == "nist":
        [found] = scorer()([row_of(key, result, 0.0)], [key])["details"]
        refused = found["refused" if key["answerable"] else "right"]
        right, supported = found["right"], found.get("covered", False)
    else:
        claims = " ".join(claim.text for claim in result.claims)
        text = claims if result.status == "unconfirmed" else result.answer
        refused = result.status == "refused"
        right = by_words(text, (key["answer"], *key["aliases"])) == "right"
        supported = any(c.doc_id in key["supporting_ids"] for c in result.citations)
    if refused:
        return "refused", False
    return ("right" if right else "wrong"), supported
