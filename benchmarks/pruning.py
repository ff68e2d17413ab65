"""Whether the gain tells gold chunks from noise, and what each way of pruning leaves out.

Everything is asked by the product's own step; replies are recorded one by one, so an interrupted
run goes on where it stopped. Without `live` a question that is not recorded is left out.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.answers import arm as answering
from benchmarks.datasets import data_set
from benchmarks.drafts import Source
from benchmarks.keeping import keep
from benchmarks.places import RECORDINGS
from benchmarks.product import index_of
from benchmarks.pruning_cases import Case, Kind, cases
from benchmarks.pruning_table import EVERY, table
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from benchmarks.refinement_arms import changed
from research_agent.answering.select_evidence.step import Earlier, select_evidence
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import ModelCall
from research_agent.types.budget import Allowance
from research_agent.types.pruning import PruneStats

MOST: dict[Source, int] = {"hotpotqa": 20, "nist": 8}
"""Questions of each set."""
PLENTY = Allowance(1000, 1000, 10_000_000, 36_000.0)
BASE = changed(
    Settings(),
    evidence={"max_chunks": 6, "max_tokens": 6000, "max_chars": 60_000},
)
"""Everything fits, and no call is left out for want of time: what is kept is the mode's doing."""
WAYS = {
    EVERY: changed(BASE, prune={"mode": "threshold"}),
    "ratio": changed(BASE, prune={"mode": "ratio"}),
    "threshold, by similarity": changed(BASE, prune={"mode": "threshold", "by": "similarity"}),
    "ratio, by similarity": changed(BASE, prune={"mode": "ratio", "by": "similarity"}),
}
"""The ways of pruning with their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What became of one chunk."""

    chunk_id: str
    kind: Kind
    rank: int
    similarity: float
    kept: bool
    why: str
    gain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one way of pruning made of one question."""

    source: Source
    qid: str
    way: str
    chunks: tuple[Judgement, ...]
    nu: float | None
    tokens_before: int
    tokens_after: int
    calls: int
    tokens_read: int
    seconds: float
    answered_before: bool
    """The answer stood in the gold chunks."""
    answered_after: bool


def run(weights: str, *, live: bool, minutes: float, cache: str) -> str:
    """Measure what is recorded, and with `live` the rest; keep rows and table, return the table."""
    until = time.monotonic() + 60 * minutes
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        found = [
            one
            for source in MOST
            for one in _outcomes(source, weights, place, until if live else 0.0)
        ]
    text = table(found)
    keep("pruning", map(asdict, found), text)
    return text


def _outcomes(source: Source, weights: str, cache: Path, until: float) -> list[Outcome]:
    """Judge the chunks of each question in each way."""
    settings = answering(weights, "", BASE).settings
    index = index_of(data_set(source), cache, settings)
    kept = Recordings(RECORDINGS / f"pruning-{weights}.jsonl", weights)
    with ExitStack() as opened:
        ports = opened.enter_context(connect(index.location, settings, {})).ports
        chosen = list(islice(cases(source, ports), MOST[source]))
        asking = _Asking(ports, kept, weights, until)
        return [one for way in WAYS for one in asking.all_of(way, chosen)]


class _Asking:
    """Asks the product's step, from recordings and, until some time, the model itself."""

    def __init__(self, ports: Ports, kept: Recordings, weights: str, until: float) -> None:
        self._model, self._kept, self._weights = ports.answerer, kept, weights
        self._ports, self._until, self._prompts = ports, until, load_prompts()

    def all_of(self, way: str, chosen: Sequence[Case]) -> Iterator[Outcome]:
        for case in chosen:
            try:
                yield self.one(way, case)
            except MissingRecordingError:
                continue

    def one(self, way: str, case: Case) -> Outcome:
        model = self._model if time.monotonic() < self._until else None
        chat = RecordedChat(model, self._kept, self._weights)
        run = RunContext(replace(self._ports, answerer=chat), WAYS[way], self._prompts)
        chosen = select_evidence(case.question, case.hits, Earlier(), run.within(PLENTY))
        stats = chosen.value.pruned.stats
        return outcome_of(way, case, chosen.event.calls, stats, chat.seconds)


def outcome_of(
    way: str, case: Case, calls: Sequence[ModelCall], stats: PruneStats, seconds: float
) -> Outcome:
    """Return what pruning made of a question, chunk by chunk."""
    by_id = {item.chunk_id: item for item in stats.decisions}
    judged = [
        Judgement(
            chunk_id=hit.chunk.chunk_id,
            kind=case.kinds[hit.chunk.chunk_id],
            rank=case.ranks[hit.chunk.chunk_id],
            similarity=round(hit.similarity or 0.0, 4),
            kept=by_id[hit.chunk.chunk_id].kept,
            why=by_id[hit.chunk.chunk_id].why,
            gain=by_id[hit.chunk.chunk_id].gain,
        )
        for hit in case.hits
        if hit.chunk.chunk_id in by_id
    ]
    return Outcome(
        source=case.source,
        qid=case.qid,
        way=way,
        chunks=tuple(judged),
        nu=stats.nu,
        tokens_before=stats.tokens_before,
        tokens_after=stats.tokens_after,
        calls=stats.calls,
        tokens_read=sum(call.prompt_tokens for call in calls),
        seconds=round(seconds, 2),
        answered_before=case.answered_by([one.chunk_id for one in judged]),
        answered_after=case.answered_by([one.chunk_id for one in judged if one.kept]),
    )
