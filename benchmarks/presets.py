"""What presets and their rounds are worth: right and supported answers, and what they cost.

Every question is asked with as many rounds as the preset has, and with each smaller number where
the answer took more. Replies are recorded one by one, so an interrupted run goes on where it
stopped; without `live` everything is replayed, and what is not recorded is counted apart.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks import answers, samples
from benchmarks.keeping import keep
from benchmarks.places import RECORDINGS, RESULTS
from benchmarks.presets_table import Asked, report
from benchmarks.questions import Row, read
from benchmarks.recording import MissingRecordingError, Recordings, Replaying, Trial
from benchmarks.refinement_arms import changed
from benchmarks.samples import SampleName
from graphs.state import ResearchState
from research_agent.assembly.connection import connect
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.own_graphs import own
from research_agent.ports import Ports
from research_agent.presets import with_preset
from research_agent.settings import Settings
from research_agent.types.events import (
    Calls,
    Checked,
    ChunksPruned,
    Decisions,
    Event,
    Finished,
    Queries,
)
from research_agent.types.result import ResearchResult

PRESETS = ("local", "full", "seed")
KNOWN = ("answers", "loop", "refinement")
"""Benchmarks whose recordings are used where a prompt is the same."""
BESIDE = 96
"""Questions that a model behind a server is asked at a time: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is to be measured."""

    preset: str
    weights: str
    live: bool = False
    """Ask the model for what is not recorded."""
    rounds: int = 0
    """At most; 0: as many as the preset has."""
    first_tokens: int = 0
    """Tokens of evidence in the first round, further rounds as the preset says; 0: that too."""
    limit: int = 0
    """Only the first questions of each sample; nothing is kept. 0: all."""
    minutes: float = 45.0
    """No question is begun after that."""

    @property
    def settings(self) -> Settings:
        """The preset's, with these weights and without deadlines: seconds are only counted."""
        plain = answers.arm(self.weights, self.preset, answers.unhurried(Settings()))
        return with_preset(plain.settings, self.preset)

    @property
    def most(self) -> int:
        """Rounds of a question at most."""
        return self.rounds or self.settings.budget.rounds


def run(names: Sequence[SampleName], chosen: Chosen, *, cache: str) -> str:
    """Ask what can be asked, keep the rows, and return the tables of all rows that are kept.

    A run takes the place of the rows of the same weights, preset, first round and sample, but for
    those with more rounds than it asks for.
    """
    with TemporaryDirectory() as temporary:
        rows = list(asked(names, chosen, Path(cache or temporary).absolute()))
    if chosen.limit:
        return report(rows, samples.sizes())
    own_rows = (chosen.weights, chosen.preset, chosen.first_tokens)
    others = [
        row
        for row in kept()
        if (row.weights, row.preset, row.first_tokens) != own_rows
        or row.source not in names
        or row.most > chosen.most
    ]
    text = report([*others, *rows], samples.sizes())
    keep("presets", map(asdict, (*others, *rows)), text)
    return text


def kept() -> list[Asked]:
    """Return the rows of earlier runs."""
    path = RESULTS / "presets.jsonl"
    return [Asked(**row) for row in read(path)] if path.exists() else []


def asked(names: Sequence[SampleName], chosen: Chosen, cache: Path) -> Iterator[Asked]:
    """Yield the rows of all questions: side by side where a server's model is asked."""
    RECORDINGS.mkdir(exist_ok=True)
    until = time.monotonic() + 60 * chosen.minutes
    with ExitStack() as opened:
        opened.enter_context(first_round_of(chosen.first_tokens))
        ports = {
            name: opened.enter_context(
                connect(samples.index(name, chosen.settings, cache), chosen.settings, {})
            ).ports
            for name in names
        }
        asking = Asking(chosen, ports[names[0]])
        jobs = [(name, key) for name in names for key in samples.keys(name)[: chosen.limit or None]]

        def rows(job: tuple[SampleName, Row]) -> list[Asked]:
            name, key = job
            if time.monotonic() > until:
                return []
            return list(asking.rounds(name, key, ports[name]))

        beside = BESIDE if chosen.live and chosen.weights == answers.STRONG else 1
        with ThreadPoolExecutor(beside) as threads:
            for of in threads.map(rows, jobs):
                yield from of


@contextmanager
def first_round_of(tokens: int) -> Iterator[None]:
    """Let graphs that are built in the block choose less evidence in the first round; 0: do not.

    It is a question's own first round: no setting says such a thing, since nobody would want it.
    """
    nodes = own("nodes")
    step = nodes.select_evidence_node

    def limited(state: ResearchState, run: RunContext) -> object:
        if tokens and state.rounds == 1:
            least = min(tokens, run.settings.evidence.max_tokens)
            run = replace(run, settings=changed(run.settings, evidence={"max_tokens": least}))
        return step(state, run)

    with patch.object(nodes, "select_evidence_node", limited):
        yield


class Asking:
    """Asks questions with a preset, each through a graph of its own, whose calls are counted."""

    def __init__(self, chosen: Chosen, models: Ports) -> None:
        """Ask the `models` for what is not recorded, where `chosen` says so."""
        self._chosen, weights = chosen, chosen.weights
        known = [RECORDINGS / f"{name}-{weights}.jsonl" for name in KNOWN]
        kept = Recordings(RECORDINGS / f"presets-{weights}.jsonl", weights, known)
        self._replaying = Replaying(kept, weights, models if chosen.live else None)
        self._trial = Trial()

    def rounds(self, name: SampleName, key: Row, ports: Ports) -> Iterator[Asked]:
        """Yield a question's row for each number of rounds of which all calls are recorded.

        An answer that took no more rounds than are allowed is not asked for again.
        """
        found: list[Asked] = []
        for most in range(self._chosen.most, 0, -1):
            if found and found[-1].rounds <= most:
                found.append(replace(found[-1], most=most))
                continue
            try:
                found.append(self(name, key, ports, most))
            except MissingRecordingError:
                continue
        yield from reversed(found)

    def __call__(self, name: SampleName, key: Row, ports: Ports, most: int) -> Asked:
        """Ask one question with so many rounds at most; raises MissingRecordingError."""
        settings = changed(self._chosen.settings, budget={"rounds": most})
        warm = SAMPLE_TEMPERATURE
        ports, chat, sampler = self._replaying.within(ports, warm, self._trial)
        seen = Seen()
        with ResearchAgent(ports, settings, load_prompts()) as agent:
            for event in agent.stream(key["question"]):
                seen.add(event)
        result = seen.result
        if result is None:
            raise RuntimeError(f"{name} {key['qid']}: the question ended without a result")
        outcome, supported = samples.judged(name, result, key)
        asked = {f"{role} asked": count for role, count in chat.asked.items()}
        second = {"second answers": sampler.asked.total()}
        return Asked(
            weights=self._chosen.weights,
            preset=self._chosen.preset,
            first_tokens=self._chosen.first_tokens,
            source=name,
            qid=key["qid"],
            answerable=key["answerable"],
            most=most,
            rounds=result.rounds,
            status=result.status,
            outcome=outcome,
            supported=supported,
            answer=result.answer,
            stop_reason=result.stop_reason,
            calls=result.usage.llm_calls,
            failed=result.usage.failed_calls,
            read=result.usage.prompt_tokens,
            written=result.usage.completion_tokens,
            seconds=round(chat.seconds + sampler.seconds, 2),
            stages={name: of for name, of in {**seen.stages, **asked, **second}.items() if of},
            warnings=result.warnings,
        )


@dataclass(slots=True)
class Seen:
    """What the events of one question say of the stages that acted."""

    stages: Counter[str] = field(default_factory=Counter)
    result: ResearchResult | None = None

    def add(self, event: Event) -> None:
        """Count what one event tells."""
        count = self.stages
        match event:
            case Queries():
                count["queries added"] += max(0, len(event.queries) - 1)
                count["queries blocked"] += sum(bool(verdict.blocked) for verdict in event.verdicts)
            case Calls(author="model"):
                count["calls written"] += len(event.calls)
                count["… that cannot run"] += sum(bool(call.problem) for call in event.calls)
            case Decisions():
                by_model = [d for d in event.decisions if d.why in JUDGED]
                count.update(f"filter {decision.verdict}" for decision in by_model)
                count["filter fallbacks"] += bool(event.fallback)
                count["chunks expanded"] += event.expanded
            case ChunksPruned():
                count["chunks pruned"] = sum(not one.kept for one in event.stats.decisions)
            case Checked(decision="again"):
                count[f"again: {event.reason}"] += 1
            case Finished():
                self.result = event.result
            case _:
                pass


JUDGED = ("model", "reused")
"""Who decided, where the filter's model did."""
