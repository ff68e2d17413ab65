"""Refined searches on questions that need several documents: what each way finds, and its price.

Every arm is a set of settings, and every figure is of the hits that an answer would be written
from. Calls to the planner model are recorded one by one, so an interrupted run goes on where it
stopped; without `live` a question whose calls are not recorded is left out of an arm.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import arm as answering
from benchmarks.datasets import DataSet, Question, data_set
from benchmarks.keeping import by_question, keep
from benchmarks.metrics import first_ranks
from benchmarks.places import RECORDINGS
from benchmarks.product import index_of
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement_arms import ARMS, Arm
from benchmarks.refinement_table import FIRST, HITS, Asked, Proposal, Rows, table
from benchmarks.refining import Searching
from research_agent.assembly.connection import connect
from research_agent.core.types import Completion, Message
from research_agent.ports import ChatModel, JsonSchema, Ports, ToolSpec
from research_agent.settings import Settings

SETS = ("hotpotqa", "musique", "nist", "nist-extra")
"""The multi-hop sets, and those that refinement must not harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is measured."""

    arms: Sequence[str]
    """Names of arms; none: all."""
    weights: str
    """The embedded model whose recordings are used."""
    live: bool
    """Ask it for what is not recorded."""
    minutes: float
    """Begin no further question that asks the model after this long."""
    limit: int = 0
    """Only the first questions; 0: all."""
    tried: Sequence[Arm] = ()
    """Further arms."""

    @property
    def partly(self) -> bool:
        """Whether the figures are not those that are kept."""
        return bool(self.arms or self.limit or self.tried)


def run(names: Sequence[str], chosen: Chosen, *, cache: str) -> Iterator[str]:
    """Measure each data set, keep rows and table, and yield the table."""
    until = time.monotonic() + 60 * chosen.minutes
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        for name in names:
            given = data_set(name)
            data = replace(given, questions=given.questions[: chosen.limit or None])
            rows = measured(data, chosen, place, until)
            against = {arm.name: arm.against for arm in (*ARMS, *chosen.tried)}
            text = table(name, len(data.questions), rows, against)
            if not chosen.partly:
                keep(f"refinement-{name}", by_question(rows), text)
            yield text


def measured(data: DataSet, chosen: Chosen, cache: Path, until: float) -> Rows:
    """Ask every question in every arm, over an index below `cache`."""
    settings = answering(chosen.weights, "", Settings()).settings
    index = index_of(data, cache, settings)
    RECORDINGS.mkdir(exist_ok=True)
    kept = Recordings(RECORDINGS / f"refinement-{chosen.weights}.jsonl", chosen.weights)
    with ExitStack() as opened:
        ports = opened.enter_context(connect(index.location, settings, {})).ports
        model = Timely(ports.planner, until) if chosen.live else None
        chat = RecordedChat(model, kept, chosen.weights)
        ports = replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)
        return {
            arm.name: asked(data, arm, ports)
            for arm in (*ARMS, *chosen.tried)
            if not chosen.arms or arm.name in chosen.arms or arm in chosen.tried
        }


def asked(data: DataSet, arm: Arm, ports: Ports) -> Mapping[str, Asked]:
    """Ask the questions in one arm; those whose calls are not recorded are left out."""
    search = replace(arm.settings.search, max_chunks=HITS)
    searching = Searching(ports, replace(arm.settings, search=search), data.by_document)
    searching.alone(data.questions[0].text)  # the models are loaded
    rows = {}
    for question in data.questions:
        try:
            rows[question.qid] = judged(question, searching)
        except MissingRecordingError:
            continue
    return rows


def judged(question: Question, searching: Searching) -> Asked:
    """Ask one question, and judge what was found and what was proposed.

    A proposed query is useful where its first hits show a gold that those of the question alone
    do not show.
    """
    found = searching(question.text)
    known = first_ranks(searching.alone(question.text)[:FIRST], question.golds)
    lacking = [gold for gold, rank in zip(question.golds, known, strict=True) if rank is None]
    proposals = []
    for verdict in found.refinement.verdicts:
        ranks = first_ranks(searching.alone(verdict.query)[:FIRST], lacking)
        proposals.append(Proposal(verdict.query, verdict.blocked, useful=any(ranks)))
    return Asked(
        ranks=first_ranks(found.spans[:HITS], question.golds),
        kind=found.refinement.kind,
        queries=found.queries,
        proposals=tuple(proposals),
        calls=len(found.calls),
        tokens=sum(call.prompt_tokens + call.completion_tokens for call in found.calls),
        model_seconds=round(sum(call.seconds for call in found.calls), 2),
        milliseconds=round(found.milliseconds, 1),
    )


class Timely:
    """A model that begins no call after some moment; implements ChatModel."""

    def __init__(self, model: ChatModel, until: float) -> None:
        """Ask `model` as long as `time.monotonic()` is less than `until`."""
        self._model, self._until = model, until

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
        seconds: float = math.inf,
    ) -> Completion:
        """Return the model's reply; raises MissingRecordingError after the time, ModelError."""
        if time.monotonic() > self._until:
            raise MissingRecordingError(role)
        return self._model.complete(
            role, messages, max_tokens=max_tokens, tools=tools, schema=schema, seconds=seconds
        )
