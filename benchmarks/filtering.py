"""Filters: what is left of the evidence, against as many first hits.

The questions have to find operations, schemas and security schemes of API descriptions, or pages
of PDFs. Calls to the filter model are recorded one by one, so an interrupted run goes on where it
stopped; without `--live` a question whose calls are not recorded is left out of an arm.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import click

from benchmarks.common import (
    STRONG,
    Asking,
    Row,
    asks,
    changed,
    folder,
    keep,
    of_arms,
    table_of,
    with_weights,
)
from benchmarks.datasets import SOUGHT_NAMES, SoughtQuestion, sought_questions
from benchmarks.recording import MissingRecordingError, Replaying
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.context import StepContext
from research_agent.evaluation.intervals import paired_difference, told_mean
from research_agent.metering import Meter
from research_agent.planning.filter.step import HitFilter
from research_agent.planning.reading import Links
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
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

    def settings(self, own: Settings) -> Settings:
        """Return settings with this arm's: twice as many hits are found as evidence may hold."""
        top_k = max(own.retrieval.top_k, 2 * MOST)
        return changed(replace(own, filter=self.filter), retrieval={"top_k": top_k})


ARMS: tuple[Arm, ...] = (
    Arm(name="off, 25", max_chunks=MOST),
    Arm(name="off, 10"),
    Arm(name="score, 10", filter=SCORE),
    Arm(name="llm, 10 of x1.6", filter=FilterSettings(mode="llm")),
)


@click.command("filtering")
@asks
@click.option("--data", "names", multiple=True, type=click.Choice(SOUGHT_NAMES))
def filtering_command(*, asking: Asking, names: tuple[str, ...]) -> None:
    """Measure what filters leave of the evidence."""
    with folder(asking.cache) as place:
        for name in names or SOUGHT_NAMES:
            rows = measured(name, asking, place)
            text = table(name, rows)
            if not asking.limit:
                whose = f"-{STRONG}" if asking.weights == STRONG else ""
                keep(f"filtering-{name}{whose}", of_arms(rows), text)
            print(f"{text}\n", flush=True)


def measured(name: str, asking: Asking, cache: Path) -> Mapping[str, list[Row]]:
    """Ask every question in every arm, over an index below `cache`; return the rows by arm."""
    settings = with_weights(asking.weights, Settings())
    questions = asking.first(sought_questions(name))
    with opened(name.removesuffix("-extra"), cache, settings) as ports:
        given, _, _ = Replaying.of("filtering", asking, ports).within(ports)

        def rows(arm: Arm) -> list[Row]:
            def one(question: SoughtQuestion) -> Row | None:
                try:
                    return choice(question, arm, given, arm.settings(settings))
                except MissingRecordingError:
                    return None

            with ThreadPoolExecutor(asking.beside(len(questions))) as threads:
                return [row for row in threads.map(one, questions) if row]

        return {arm.name: rows(arm) for arm in ARMS}


def choice(question: SoughtQuestion, arm: Arm, ports: Ports, settings: Settings) -> Row:
    """Search for one question, choose of its hits as the arm does, and judge the choice.

    `seen`, `kept` and `by_rank` say of all that is sought whether it is among the hits looked at,
    in the result, and among as many first hits of the ranking.
    """
    ranking, found, meter = chosen(question.text, arm, ports, settings)
    stats, hits = found.stats, {hit.chunk.chunk_id: hit.chunk for hit in ranking}
    looked_at = [hits[decision.chunk_id] for decision in stats.decisions]
    result = [hit.chunk for hit in found.hits]
    others = [chunk for chunk in looked_at if not question.is_relevant(chunk)]

    def shown(chunks: Sequence[Chunk]) -> list[bool]:
        return [any(one.is_in(chunk) for chunk in chunks) for one in question.sought]

    return {
        "qid": question.qid,
        "seen": shown(looked_at),
        "kept": shown(result),
        "by_rank": shown([hit.chunk for hit in ranking[: len(result)]]),
        "chunks": len(result),
        "irrelevant": len(others),
        "irrelevant_kept": len({c.chunk_id for c in others} & {c.chunk_id for c in result}),
        "tokens_after": stats.tokens_after,
        "prompt_tokens": sum(call.prompt_tokens for call in meter.calls),
        "completion_tokens": sum(call.completion_tokens for call in meter.calls),
        "calls": len(meter.calls),
        "model_seconds": round(sum(call.seconds for call in meter.calls), 2),
        "fallback": stats.fallback,
        "expanded": stats.expanded,
    }


def chosen(
    question: str, arm: Arm, ports: Ports, settings: Settings
) -> tuple[Sequence[Hit], Filtered, Meter]:
    """Return the ranking, what the arm makes of it, and what that cost."""
    ranking = rank(question, ports=ports, settings=settings.retrieval).hits
    meter = Meter(ENOUGH, tokenizer=ports.tokenizer, clock=ports.clock)
    filtering = HitFilter(StepContext(ports, settings, load_prompts(), meter), Links(ports))
    return ranking, filtering(question, ranking, arm.max_chunks).value, meter


def table(name: str, arms: Mapping[str, Sequence[Row]]) -> str:
    """Return what the arms find, and what the verdicts of a model are worth and cost."""
    lines = [{"arm": arm} | _cells(rows) for arm, rows in arms.items() if rows]
    return f"## {name}\n\n{table_of(lines)}"


def _cells(rows: Sequence[Row]) -> dict[str, str]:
    wanting = [row for row in rows if row["kept"]]
    ours = [fmean(row["kept"]) for row in wanting]
    theirs = [fmean(row["by_rank"]) for row in wanting]
    seen, others = sum(sum(row["seen"]) for row in rows), sum(row["irrelevant"] for row in rows)
    both = sum(k and s for row in rows for k, s in zip(row["kept"], row["seen"], strict=True))
    kept = [one for row in rows for one in row["kept"]]
    gone = 1 - sum(row["irrelevant_kept"] for row in rows) / (others or 1)
    return {
        "questions": str(len(rows)),
        "of all sought": f"{sum(kept)} of {len(kept)}",
        "chunks": f"{fmean(row['chunks'] for row in rows):.1f}",
        "recall of what was looked at": share(both / seen if seen else None),
        "irrelevant gone": share(gone if others else None),
        "recall - as many first hits": (
            told_mean(paired_difference(ours, theirs), sign="+") if ours else "-"
        ),
        "tokens for the answer": f"{fmean(row['tokens_after'] for row in rows):.0f}",
        "expanded": f"{fmean(row['expanded'] for row in rows):.1f}",
        "calls": f"{fmean(row['calls'] for row in rows):.1f}",
        "tokens read": f"{fmean(row['prompt_tokens'] for row in rows):.0f}",
        "written": f"{fmean(row['completion_tokens'] for row in rows):.0f}",
        "seconds": f"{fmean(row['model_seconds'] for row in rows):.1f}",
        "fallbacks": str(sum(bool(row["fallback"]) for row in rows)),
    }


def share(value: float | None) -> str:
    """Return a share with two digits, "-" where there is none."""
    return "-" if value is None else f"{value:.2f}"
