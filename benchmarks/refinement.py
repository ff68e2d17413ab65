"""Searches on questions that need several documents: what each way finds, and its price.

The ways refine the question differently, or let rules or a model write the calls. Every arm is a
set of settings; the graph is the one that answers, left before anything is written, so every figure
is of the hits that an answer would be written from. Calls to the planner model are recorded one by
one, so an interrupted run goes on where it stopped; without `--live` a question whose calls are not
recorded is left out of an arm.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

import click

from benchmarks.common import (
    Asking,
    Row,
    asks,
    changed,
    every,
    folder,
    keep,
    of_arms,
    with_weights,
)
from benchmarks.datasets import API, DataSet, Question, data_set, sought_questions
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.refinement_table import table
from benchmarks.retrieval import opened
from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.config import load_prompts
from research_agent.evaluation.ranking import Gold, Span, first_ranks
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import Hit, ModelCall, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.refinement import Refinement

SETS = ("hotpotqa", "musique", "nist", "nist-extra")
"""The multi-hop sets, and those that refinement must not harm."""
MODE_SETS = ("nist", API, "musique")
"""Sets that search modes are compared on."""
MODE_SAMPLE = 15
"""Questions of each of them: a model that writes its calls is asked several times for each."""
HITS = 20
"""Hits that a call returns here, so that ten different documents are among them."""
By = Literal["page", "document", "chunk"]
"""How a hit is told: by its pages; by its document, once, at its first hit; or by its id."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of searching: settings that differ from those of another arm in one thing."""

    name: str
    settings: Settings
    against: str = ""
    """The arm it is compared with; empty: none."""


PLAIN = changed(Settings(), refinement={"mode": "off"})
"""The default search with the question as it is: what refinement must not lose anything to."""
ASKING = changed(Settings(), confidence={"bypass": 1.01})
"""The planner model is asked for every question, however well its words find something."""
ARMS = (
    Arm("words", changed(PLAIN, retrieval={"mode": "lexical"})),
    Arm("vectors", changed(PLAIN, retrieval={"mode": "dense"})),
    Arm("not refined", PLAIN, "words"),
    Arm("parts by the model, hops", ASKING, "not refined"),
    Arm("default", Settings(), "not refined"),
)
MODES = (
    Arm("planned", changed(Settings(), search={"mode": "planned"})),
    Arm("tool_calling", changed(Settings(), search={"mode": "tool_calling"}), "planned"),
)
"""Who writes the calls of a search: rules, or the planner model."""


@click.command("refinement")
@asks
@click.option("--data", "names", multiple=True, type=click.Choice((*SETS, API)))
@click.option("--modes", is_flag=True, help="Instead: who writes the calls, on a sample of 15.")
@click.option("--sample", default=0, help="So many questions, evenly spaced by their ids.")
def refinement_command(*, asking: Asking, names: tuple[str, ...], modes: bool, sample: int) -> None:
    """Measure searches on questions that need several documents, refined and not."""
    arms = MODES if modes else ARMS
    sample = sample or (MODE_SAMPLE if modes else 0)
    with folder(asking.cache) as place:
        for name in names or (MODE_SETS if modes else SETS):
            questions, rows = measured(name, arms, sample, asking, place)
            text = table(name, rows, {arm.name: arm.against for arm in arms}, questions)
            if not asking.limit:
                keep(kept_as(name, asking.weights, sample, modes=modes), of_arms(rows), text)
            print(f"{text}\n", flush=True)


def kept_as(data: str, weights: str, sample: int, *, modes: bool = False) -> str:
    """Return the name of the results: whole sets with the 1.5B have none of model and sample."""
    if modes:
        return f"modes-{data}-{weights}"
    part = (weights, sample) != ("1.5b", 0)
    return f"refinement-{data}" + (f"-{weights}-{sample or 'all'}" if part else "")


def measured(
    name: str, arms: Sequence[Arm], sample: int, asking: Asking, cache: Path
) -> tuple[int, Mapping[str, list[Row]]]:
    """Ask every question in every arm, over an index below `cache`; return how many there are."""
    settings = with_weights(asking.weights, Settings())
    with opened(name.removesuffix("-extra"), cache, settings) as ports:
        data = api_set(ports) if name == API else data_set(name)
        questions = asking.first(every(data.questions, sample, attrgetter("qid")))
        given, _, _ = Replaying.of("refinement", asking, ports).within(ports)
        by: By = "chunk" if name == API else "document" if data.by_document else "page"
        rows: dict[str, list[Row]] = {}
        for arm in arms:
            wide = {} if arms is MODES else {"max_chunks": HITS}
            own = changed(with_weights(asking.weights, arm.settings), search=wide)
            rows[arm.name] = asked(questions, Searching(given, own, by), asking)
        return len(questions), rows


def api_set(ports: Ports) -> DataSet:
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
        for one in sought_questions(API)
        if one.sought
    ]
    return DataSet(name=API, questions=tuple(questions))


class Searched(NamedTuple):
    """What one question has led to before an answer is written."""

    spans: tuple[Span, ...]
    """Where the hits are, best first."""
    refinement: Refinement
    queries: tuple[str, ...]
    """What was searched for, in the order of the searches."""
    calls: tuple[ModelCall, ...]


@dataclass
class Searching:
    """The product's graph over one index, with one set of settings."""

    ports: Ports
    settings: Settings
    by: By

    def __post_init__(self) -> None:
        """Build the graph."""
        self._graph = build_research_graph(self.ports, self.settings, load_prompts())

    def __call__(self, question: str) -> Searched:
        """Ask `question` and stop after the first round's search."""
        refinement, found = Refinement(), Found()
        trace: Sequence[TraceEvent] = ()
        steps = self._graph.stream(ResearchInput(question=question), stream_mode="updates")
        with closing(steps):  # type: ignore[type-var]  # (a generator, declared as an iterator)
            for step in steps:
                refinement = (step.get("refine") or {}).get("refinement", refinement)
                if "search" in step:
                    found, trace = step["search"]["found"], step["search"]["trace"]
                    break
        return Searched(
            spans=self._places(found.hits),
            refinement=refinement,
            queries=tuple(query for event in trace for query in event.queries),
            calls=tuple(call for event in trace for call in event.calls),
        )

    def _places(self, hits: Sequence[Hit]) -> tuple[Span, ...]:
        chunks = [hit.chunk for hit in hits]
        if self.by == "page":
            return tuple(Span(chunk.doc_id, chunk.start_page, chunk.end_page) for chunk in chunks)
        names = [chunk.doc_id if self.by == "document" else chunk.chunk_id for chunk in chunks]
        return tuple(Span(name) for name in dict.fromkeys(names))


def asked(questions: Sequence[Question], searching: Searching, asking: Asking) -> list[Row]:
    """Ask the questions in one arm; those whose calls are not recorded are left out."""

    def row(question: Question) -> Row | None:
        try:
            found = searching(question.text)
        except MissingRecordingError:
            return None
        return {
            "qid": question.qid,
            "ranks": first_ranks(found.spans[:HITS], question.golds),
            "kind": found.refinement.kind,
            "queries": found.queries,
            "blocked": [v.query for v in found.refinement.verdicts if v.blocked],
            "calls": len(found.calls),
            "tokens": sum(call.prompt_tokens + call.completion_tokens for call in found.calls),
            "model_seconds": round(sum(call.seconds for call in found.calls), 2),
        }

    with ThreadPoolExecutor(asking.beside(len(questions))) as threads:
        return [found for found in threads.map(row, questions) if found]
