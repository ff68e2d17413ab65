"""Filters and references: what is left of the evidence, against as many first hits.

The questions have to find operations, schemas and security schemes of API descriptions, or pages
of PDFs. Calls to the filter model are recorded one by one, so an interrupted run goes on where it
stopped; without `--live` a question whose calls are not recorded is left out of an arm.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import click

from benchmarks.common import (
    STRONG,
    Asking,
    asks,
    changed,
    folder,
    keep,
    table_of,
    with_weights,
)
from benchmarks.datasets import SOUGHT_NAMES, SPECIES, SoughtQuestion, sought_questions
from benchmarks.figures import mean_interval, paired_difference, sign_test, told_mean
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.refinement_table import by_question
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.context import StepContext
from research_agent.metering import Meter
from research_agent.planning.filter.step import HitFilter
from research_agent.planning.reading import Links
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import FilterSettings, Settings
from research_agent.types import Chunk, Hit
from research_agent.types.budget import Allowance
from research_agent.types.filtering import Filtered

ENOUGH = Allowance(10**6, 10**6, 10**9, 1e9)
"""Nothing is refused for want of budget."""
MOST = 25
"""Chunks that evidence may hold."""
FEW = 10
"""Chunks that a search of the agent returns."""


OFF, SCORE = FilterSettings(mode="off"), FilterSettings(mode="score")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to choose."""

    name: str
    max_chunks: int = FEW
    """What the caller of the search wants."""
    filter: FilterSettings = OFF
    depth: int = 0
    """Add what the hits refer to in so many steps, up to `MOST` chunks in all."""

    def settings(self, own: Settings) -> Settings:
        """Return settings with this arm's: twice as many hits are found as evidence may hold."""
        top_k = max(own.retrieval.top_k, 2 * MOST)
        return changed(replace(own, filter=self.filter), retrieval={"top_k": top_k})


ARMS: tuple[Arm, ...] = (
    Arm(name="off, 25", max_chunks=MOST),
    Arm(name="off, 10"),
    Arm(name="score, 10", filter=SCORE),
    Arm(name="10 + references, depth 3", depth=3),
    Arm(name="llm, 10 of x1.6", filter=FilterSettings(mode="llm")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One hit that a model has judged."""

    relevant: bool
    verdict: float
    """From 0, to be discarded, to 1."""
    rank: int
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question in one arm."""

    kinds: tuple[str, ...]
    """Of what is sought."""
    seen: tuple[bool, ...]
    """Which of it is among the hits looked at."""
    kept: tuple[bool, ...]
    """Which of it is in the result."""
    by_rank: tuple[bool, ...]
    """Which of it is among as many first hits of the ranking as the result has chunks."""
    chunks: int
    """In the result."""
    irrelevant: int
    """Hits looked at that hold nothing of what is sought."""
    irrelevant_kept: int
    judged: tuple[Judged, ...]
    tokens_after: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    calls: int
    model_seconds: float
    fallback: str
    expanded: int
    """Chunks in the result that a kept hit refers to."""
    dangling_before: int
    """References of kept hits that lead to no chunk of the result, before expansion."""
    dangling_after: int


Rows = Mapping[str, Mapping[str, Asked]]
"""By arm and question."""


@click.command("filtering")
@asks
@click.option("--data", "names", multiple=True, type=click.Choice(SOUGHT_NAMES))
def filtering_command(*, asking: Asking, names: tuple[str, ...]) -> None:
    """Measure what filters and references leave of the evidence."""
    with folder(asking.cache) as place:
        for name in names or SOUGHT_NAMES:
            rows = measured(name, asking, place)
            text = table(name, {arm: list(of.values()) for arm, of in rows.items() if of})
            if not asking.limit:
                whose = f"-{STRONG}" if asking.weights == STRONG else ""
                keep(f"filtering-{name}{whose}", by_question(rows), text)
            print(f"{text}\n", flush=True)


def measured(name: str, asking: Asking, cache: Path) -> Rows:
    """Ask every question in every arm, over an index below `cache`."""
    settings = with_weights(asking.weights, Settings())
    questions = asking.first(sought_questions(name))
    with opened(name.removesuffix("-extra"), cache, settings) as ports:
        replaying = Replaying.of("filtering", asking, ports)
        given, _, _ = replaying.within(ports)

        def rows(arm: Arm) -> Mapping[str, Asked]:
            def one(question: SoughtQuestion) -> Asked | None:
                try:
                    return choice(question, arm, given, arm.settings(settings))
                except MissingRecordingError:
                    return None

            with ThreadPoolExecutor(asking.beside(len(questions))) as threads:
                found = zip(questions, threads.map(one, questions), strict=True)
                return {question.qid: row for question, row in found if row}

        return {arm.name: rows(arm) for arm in ARMS}


def choice(question: SoughtQuestion, arm: Arm, ports: Ports, settings: Settings) -> Asked:
    """Search for one question, choose of its hits as the arm does, and judge the choice."""
    ranking, found, meter = chosen(question.text, arm, ports, settings)
    stats, hits = found.stats, {hit.chunk.chunk_id: hit for hit in ranking}
    looked_at = [hits[decision.chunk_id].chunk for decision in stats.decisions]
    result = [hit.chunk for hit in found.hits]
    others = [chunk for chunk in looked_at if not question.is_relevant(chunk)]
    kept = {chunk.chunk_id for chunk in result}

    def shown(chunks: Sequence[Chunk]) -> tuple[bool, ...]:
        return tuple(any(one.is_in(chunk) for chunk in chunks) for one in question.sought)

    judged = [
        Judged(
            relevant=question.is_relevant(chunk),
            verdict=float(of.verdict != "discard") if of.relevance is None else of.relevance,
            rank=rank,
            kept=of.verdict != "discard",
        )
        for rank, (chunk, of) in enumerate(zip(looked_at, stats.decisions, strict=True), start=1)
        if of.why in {"model", "all_discarded"}
    ]
    return Asked(
        kinds=tuple(one.kind for one in question.sought),
        seen=shown(looked_at),
        kept=shown(result),
        by_rank=shown([hit.chunk for hit in ranking[: len(result)]]),
        chunks=len(result),
        irrelevant=len(others),
        irrelevant_kept=sum(chunk.chunk_id in kept for chunk in others),
        judged=tuple(judged),
        tokens_after=stats.tokens_after,
        prompt_tokens=sum(call.prompt_tokens for call in meter.calls),
        cached_tokens=sum(call.cached_tokens for call in meter.calls),
        completion_tokens=sum(call.completion_tokens for call in meter.calls),
        calls=len(meter.calls),
        model_seconds=round(sum(call.seconds for call in meter.calls), 2),
        fallback=stats.fallback,
        expanded=stats.expanded,
        dangling_before=stats.dangling_before,
        dangling_after=stats.dangling_after,
    )


def chosen(
    question: str, arm: Arm, ports: Ports, settings: Settings
) -> tuple[Sequence[Hit], Filtered, Meter]:
    """Return the ranking, what the arm makes of it, and what that cost."""
    ranking = hybrid_search(question, ports=ports, settings=settings.retrieval)
    meter = Meter(ENOUGH, tokenizer=ports.tokenizer, clock=ports.clock)
    links = Links(ports)
    filtering = HitFilter(StepContext(ports, settings, load_prompts(), meter), links)
    found = filtering(question, ranking, max_chunks=arm.max_chunks).value
    if not arm.depth:
        return ranking, found, meter
    known = [hit.chunk.chunk_id for hit in found.hits]
    further = links.further(known, depth=arm.depth, max_total=MOST - len(known))
    more = tuple(Hit(chunk) for chunk in further if chunk.chunk_id not in known)
    tokens = found.stats.tokens_after + sum(ports.tokenizer.count(hit.chunk.text) for hit in more)
    stats = replace(found.stats, expanded=len(more), tokens_after=tokens)
    return ranking, Filtered((*found.hits, *more), stats), meter


def table(name: str, arms: Mapping[str, Sequence[Asked]]) -> str:
    """Return what the arms find, and what the verdicts of those that ask a model are worth."""
    found = [{"arm": arm} | _found(of) for arm, of in arms.items()]
    asking = {arm: of for arm, of in arms.items() if any(row.calls for row in of)}
    verdicts = [{"arm": arm} | _verdicts(of) for arm, of in asking.items()]
    return "\n\n".join([f"## {name}", *map(table_of, filter(None, (found, verdicts)))])


def _found(rows: Sequence[Asked]) -> dict[str, str]:
    wanting = [row for row in rows if row.kinds]
    ours = [sum(row.kept) / len(row.kept) for row in wanting]
    theirs = [sum(row.by_rank) / len(row.by_rank) for row in wanting]
    more = sum(mine > other for mine, other in zip(ours, theirs, strict=True))
    fewer = sum(mine < other for mine, other in zip(ours, theirs, strict=True))
    seen, others = sum(sum(row.seen) for row in rows), sum(row.irrelevant for row in rows)
    both = sum(k and s for row in rows for k, s in zip(row.kept, row.seen, strict=True))
    kinds = {kind for row in rows for kind in row.kinds}
    return {
        "questions": str(len(rows)),
        **{f"all {k} found": all_found(rows, k) for k in (*SPECIES, "pages") if k in kinds},
        "of all sought": f"{sum(sum(r.kept) for r in rows)} of {sum(len(r.kept) for r in rows)}",
        "chunks": _mean(rows, lambda row: row.chunks),
        "recall of what was looked at": share(both / seen if seen else None),
        "irrelevant gone": share(
            1 - sum(row.irrelevant_kept for row in rows) / others if others else None
        ),
        "recall - as many first hits": (
            told_mean(paired_difference(ours, theirs), sign="+") if ours else "-"
        ),
        "more / fewer, sign test": f"{more} / {fewer}, p {share(sign_test(more, fewer))}",
        "tokens for the answer": _mean(rows, lambda row: row.tokens_after, 0),
        "of them expanded": _mean(rows, lambda row: row.expanded),
        "dangling references, before": _mean(rows, lambda row: row.dangling_before),
        "after": _mean(rows, lambda row: row.dangling_after),
    }


def _verdicts(rows: Sequence[Asked]) -> dict[str, str]:
    pairs = [
        (
            area([(one.verdict, one.relevant) for one in row.judged]),
            area([(-one.rank, one.relevant) for one in row.judged]),
        )
        for row in rows
    ]
    areas = [(verdict, rank) for verdict, rank in pairs if verdict is not None and rank is not None]
    decided = [(one.relevant, one.kept) for row in rows for one in row.judged]
    return {
        "questions": str(len(rows)),
        "AUC of the verdict": share(fmean(v for v, _ in areas) if areas else None),
        "of the rank": share(fmean(r for _, r in areas) if areas else None),
        "verdict - rank": (
            told_mean(mean_interval([v - r for v, r in areas]), sign="+") if areas else "-"
        ),
        "balanced accuracy": share(balanced_accuracy(decided)),
        "calls": _mean(rows, lambda row: row.calls),
        "tokens sent": _mean(rows, lambda row: row.prompt_tokens, 0),
        "read anew": _mean(rows, lambda row: row.prompt_tokens - row.cached_tokens, 0),
        "tokens written": _mean(rows, lambda row: row.completion_tokens, 0),
        "seconds, of the model": _mean(rows, lambda row: row.model_seconds),
        "fallbacks": str(sum(bool(row.fallback) for row in rows)),
    }


def _mean(rows: Sequence[Asked], value: Callable[[Asked], float], digits: int = 1) -> str:
    return f"{fmean(value(row) for row in rows):.{digits}f}"


def all_found(rows: Sequence[Asked], kind: str) -> str:
    """Return for how many questions that want any of a kind all of it is in the result."""
    wanted = [
        all(kept for kept, own in zip(row.kept, row.kinds, strict=True) if own == kind)
        for row in rows
        if kind in row.kinds
    ]
    return f"{sum(wanted)} of {len(wanted)}"


def area(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a relevant thing scores above another one; a tie is half; None without.

    >>> area([(0.9, True), (0.4, False), (0.9, False)]), area([(1.0, True)])
    (0.75, None)
    """
    yes = [score for score, relevant in pairs if relevant]
    no = [score for score, relevant in pairs if not relevant]
    if not yes or not no:
        return None
    return fmean((high > low) + (high == low) / 2 for high in yes for low in no)


def balanced_accuracy(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the mean of the shares of relevant things kept and of others dropped.

    `pairs` are (relevant, kept). None where one of the two kinds is missing.

    >>> balanced_accuracy([(True, True), (False, True), (False, False)])
    0.75
    """
    yes = [kept for relevant, kept in pairs if relevant]
    no = [not kept for relevant, kept in pairs if not relevant]
    return (fmean(yes) + fmean(no)) / 2 if yes and no else None


def share(value: float | None) -> str:
    """Return a share with two digits, "-" where there is none.

    >>> share(0.5), share(None)
    ('0.50', '-')
    """
    return "-" if value is None else f"{value:.2f}"
