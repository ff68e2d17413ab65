"""Filters and references: what is left of the evidence, against as many first hits.

The questions have to find operations, schemas and security schemes of API descriptions, or pages
of PDFs. Calls to the filter model are recorded one by one, so an interrupted run goes on where it
stopped; without `live` a question whose calls are not recorded is left out of an arm.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import STRONG
from benchmarks.answers import arm as answering
from benchmarks.filtering_arms import ARMS, MOST, Arm
from benchmarks.filtering_scores import Asked, Choice, asked, summary
from benchmarks.filtering_table import table
from benchmarks.keeping import by_question, keep
from benchmarks.places import RECORDINGS
from benchmarks.product import index_at
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement import Timely
from benchmarks.sought import Question, QuestionSet, documents, question_set
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.metering import Meter
from research_agent.planning.filter.step import HitFilter
from research_agent.planning.reading import Links
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.budget import Allowance
from research_agent.types.filtering import Filtered

Rows = Mapping[str, Mapping[str, Asked]]
"""By arm and question."""
ENOUGH = Allowance(10**6, 10**6, 10**9, 1e9)
"""Nothing is refused for want of budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is measured."""

    arms: Sequence[str] = ()
    """Names of arms; none: all."""
    weights: str = "1.5b"
    """The embedded model whose recordings are used; "strong": a server's (benchmarks.answers)."""
    live: bool = False
    """Ask it for what is not recorded."""
    minutes: float = 45.0
    """Ask the model nothing after this long."""
    limit: int = 0
    """Only the first questions; 0: all."""


def run(names: Sequence[str], chosen: Chosen, *, cache: str) -> Iterator[str]:
    """Measure each set, keep rows and table, and yield the table."""
    until = time.monotonic() + 60 * chosen.minutes
    with TemporaryDirectory() as temporary:
        for name in names:
            given = question_set(name)
            given = replace(given, questions=given.questions[: chosen.limit or None])
            rows = measured(given, chosen, Path(cache or temporary).absolute(), until)
            text = table(name, {arm: summary(list(of.values())) for arm, of in rows.items() if of})
            if not (chosen.limit or chosen.arms):
                whose = f"-{STRONG}" if chosen.weights == STRONG else ""
                keep(f"filtering-{name}{whose}", by_question(rows), text)
            yield text


def measured(given: QuestionSet, chosen: Chosen, cache: Path, until: float) -> Rows:
    """Ask every question in every arm, over an index below `cache`."""
    settings = answering(chosen.weights, "", Settings()).settings
    index = index_at(cache / "indexes" / given.index, documents(given, cache), settings)
    RECORDINGS.mkdir(exist_ok=True)
    recorded = Recordings(RECORDINGS / f"filtering-{chosen.weights}.jsonl", chosen.weights)
    with ExitStack() as opened:
        ports = opened.enter_context(connect(index.location, settings, {})).ports
        model = Timely(ports.filterer, until) if chosen.live else None
        chat = RecordedChat(model, recorded, chosen.weights)
        ports = replace(ports, filterer=chat, decisions=None)
        arms = [arm for arm in ARMS if not chosen.arms or arm.name in chosen.arms]
        beside = len(given.questions) if chosen.live and chosen.weights == STRONG else 1
        return {arm.name: answered(given, arm, ports, settings, beside=beside) for arm in arms}


def answered(
    given: QuestionSet, arm: Arm, ports: Ports, settings: Settings, *, beside: int = 1
) -> Mapping[str, Asked]:
    """Ask the questions in one arm, so many beside each other.

    Those whose calls are not recorded are left out.
    """

    def one(question: Question) -> Asked | None:
        try:
            return asked(choice(question, arm, ports, arm.settings(settings)))
        except MissingRecordingError:
            return None

    with ThreadPoolExecutor(beside) as threads:
        rows = zip(given.questions, threads.map(one, given.questions), strict=True)
        return {question.qid: row for question, row in rows if row}


def choice(question: Question, arm: Arm, ports: Ports, settings: Settings) -> Choice:
    """Search for one question and choose of its hits as the arm does."""
    ranking = hybrid_search(question.text, ports=ports, settings=settings.retrieval)
    meter = Meter(ENOUGH, tokenizer=ports.tokenizer, clock=ports.clock)
    links = Links(ports)
    filtering = HitFilter(RunContext(ports, settings, load_prompts()), links)
    found = filtering(question.text, ranking, max_chunks=arm.max_chunks, meter=meter).value
    if arm.depth:
        found = expanded(found, links, arm, ports)
    return Choice(
        question=question,
        ranking=ranking,
        found=found,
        calls=meter.calls,
        seconds=sum(call.seconds for call in meter.calls),
    )


def expanded(found: Filtered, links: Links, arm: Arm, ports: Ports) -> Filtered:
    """Return the hits with what they refer to behind them, `MOST` chunks in all."""
    known = {hit.chunk.chunk_id for hit in found.hits}
    further = links.further(
        [hit.chunk.chunk_id for hit in found.hits], depth=arm.depth, max_total=MOST - len(known)
    )
    more = tuple(Hit(chunk) for chunk in further if chunk.chunk_id not in known)
    tokens = sum(ports.tokenizer.count(hit.chunk.text) for hit in more)
    stats = replace(found.stats, expanded=len(more), tokens_after=found.stats.tokens_after + tokens)
    return Filtered((*found.hits, *more), stats)
