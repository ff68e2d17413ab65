"""Searches on questions that need several documents: what each way finds, and its price.

The ways refine the question differently, or let rules or a model write the calls. Every arm is a
set of settings, and every figure is of the hits that an answer would be written from. Calls to the
planner model are recorded one by one, so an interrupted run goes on where it stopped; without
`live` a question whose calls are not recorded is left out of an arm.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import STRONG
from benchmarks.answers import arm as answering
from benchmarks.datasets import DataSet, Question, data_set
from benchmarks.keeping import by_question, keep
from benchmarks.metrics import Gold, Span, first_ranks
from benchmarks.places import RECORDINGS
from benchmarks.product import index_at, index_of
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings, Trial
from benchmarks.refinement_arms import ARMS, MODES, Arm
from benchmarks.refinement_table import FIRST, HITS, Asked, Proposal, Rows, table
from benchmarks.refining import By, Searching
from benchmarks.samples import every
from benchmarks.sought import documents, question_set
from research_agent.assembly.connection import connect
from research_agent.ports import ChatModel, JsonSchema, Ports, ToolSpec
from research_agent.settings import Settings
from research_agent.types import Completion, Message

SETS = ("hotpotqa", "musique", "nist", "nist-extra")
"""The multi-hop sets, and those that refinement must not harm."""
API = "openapi"
MODE_SETS = ("nist", API, "musique")
"""Sets that search modes are compared on."""
MODE_SAMPLE = 15
"""Questions of each of them: a model that writes its calls is asked several times for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is measured."""

    arms: Sequence[str]
    """Names of arms; none: all."""
    weights: str
    """The model whose recordings are used."""
    live: bool
    """Ask it for what is not recorded."""
    minutes: float
    """Begin no further question that asks the model after this long."""
    limit: int = 0
    """Only the first questions; 0: all."""
    sample: int = 0
    """So many questions by the rule of `samples.every`; 0: all."""
    modes: bool = False
    """Compare who writes the calls, in place of how the question is refined."""
    tried: Sequence[Arm] = ()
    """Further arms."""

    @property
    def ways(self) -> Sequence[Arm]:
        """What is compared."""
        named = [arm for arm in (MODES if self.modes else ARMS) if arm.name in self.arms]
        return (*(named if self.arms else MODES if self.modes else ARMS), *self.tried)

    @property
    def partly(self) -> bool:
        """Whether the figures are not those that are kept."""
        return bool(self.arms or self.limit or self.tried)

    def kept_as(self, data: str) -> str:
        """Return the name of the results: whole sets with the 1.5B have none of model and sample.

        >>> Chosen(arms=(), weights="strong", live=False, minutes=1.0, sample=50).kept_as("a")
        'refinement-a-strong-50'
        """
        if self.modes:
            return f"modes-{data}-{self.weights}"
        part = (self.weights, self.sample) != ("1.5b", 0)
        more = f"-{self.weights}-{self.sample or 'all'}" if part else ""
        return f"refinement-{data}{more}"


def run(names: Sequence[str], chosen: Chosen, *, cache: str) -> Iterator[str]:
    """Measure each data set, keep rows and table, and yield the table."""
    until = time.monotonic() + 60 * chosen.minutes
    with TemporaryDirectory() as temporary:
        for name in names:
            questions, rows = measured(name, chosen, Path(cache or temporary).absolute(), until)
            against = {arm.name: arm.against for arm in chosen.ways}
            text = table(name, questions, rows, against)
            if not chosen.partly:
                keep(chosen.kept_as(name), by_question(rows), text)
            yield text


def measured(name: str, chosen: Chosen, cache: Path, until: float) -> tuple[int, Rows]:
    """Ask every question in every arm, over an index below `cache`; return how many there are."""
    settings = answering(chosen.weights, "", Settings()).settings
    if name == API:
        folder = documents(question_set(API), cache)
        index = index_at(cache / "indexes" / API, folder, settings)
    else:
        index = index_of(data_set(name), cache, settings)
    RECORDINGS.mkdir(exist_ok=True)
    kept = Recordings(RECORDINGS / f"refinement-{chosen.weights}.jsonl", chosen.weights)
    with ExitStack() as opened:
        ports = opened.enter_context(connect(index.location, settings, {})).ports
        data = in_chunks(ports) if name == API else data_set(name)
        questions = data.questions
        if chosen.sample:
            questions = tuple(every(questions, chosen.sample, attrgetter("qid")))
        data = replace(data, questions=questions[: chosen.limit or None])
        model = Timely(ports.planner, until) if chosen.live else None
        chat = RecordedChat(model, kept, chosen.weights)
        ports = replace(
            ports, answerer=chat, planner=chat, filterer=chat, verifier=chat, tool_use=Trial()
        )
        return len(data.questions), {
            arm.name: asked(data, arm, ports, chosen) for arm in chosen.ways
        }


def in_chunks(ports: Ports) -> DataSet:
    """Return the questions on API descriptions, with what is sought as chunks of the index.

    A span there is a chunk by its id, where other sets have pages.
    """
    chunks = [chunk for outline in ports.documents() for chunk in ports.contents(outline.doc_id)]
    questions = [
        Question(
            qid=one.qid,
            text=one.text,
            golds=tuple(
                Gold(tuple(Span(chunk.chunk_id) for chunk in chunks if sought.is_in(chunk)))
                for sought in one.sought
            ),
        )
        for one in question_set(API).questions
        if one.sought
    ]
    return DataSet(name=API, questions=tuple(questions), ks=())


def asked(data: DataSet, arm: Arm, ports: Ports, chosen: Chosen) -> Mapping[str, Asked]:
    """Ask the questions in one arm; those whose calls are not recorded are left out."""
    settings = answering(chosen.weights, "", arm.settings).settings
    if not chosen.modes:
        settings = replace(settings, search=replace(settings.search, max_chunks=HITS))
    by: By = "chunk" if data.name == API else "document" if data.by_document else "page"
    searching = Searching(ports, settings, by)
    searching.alone(data.questions[0].text)  # the models are loaded

    def row(question: Question) -> Asked | None:
        try:
            return judged(question, searching)
        except MissingRecordingError:
            return None

    beside = len(data.questions) if chosen.live and chosen.weights == STRONG else 1
    with ThreadPoolExecutor(beside) as threads:
        rows = list(threads.map(row, data.questions))
    return {question.qid: one for question, one in zip(data.questions, rows, strict=True) if one}


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
