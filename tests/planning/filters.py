"""What the tests of the filter share: hits, a model that says one thing, and a kept dictionary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_agent.metering import Meter
from research_agent.planning.filter.filtering import HitFilter
from research_agent.planning.filter.references import no_expansion, no_references
from research_agent.ports import DecisionCache, Ports
from research_agent.settings import FilterSettings, Settings
from research_agent.types import Chunk, Completion, Hit, ModelCall, Outcome
from research_agent.types.budget import Allowance
from research_agent.types.filtering import FilterStats
from research_agent.types.referring import Reference
from tests.fakes import PROMPTS, ScriptedChat, chunk, ports

QUERY = "How many bytes has a key?"
ENOUGH = Allowance(40, 20, 100_000, 900.0)


@dataclass
class Kept:
    """A cache of decisions; implements DecisionCache."""

    held: dict[str, str] = field(default_factory=dict)

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self.held[key] for key in keys if key in self.held}

    def put(self, decisions: Mapping[str, str]) -> None:
        self.held |= decisions


class Links:
    """Chunk 0 refers to chunk 90, that to 91, and so on to 94; implements References and Expand."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], int, int]] = []

    def references(self, chunk_ids: Sequence[str]) -> Mapping[str, Sequence[Reference]]:
        found = (Reference("guide-90", "see", "guide, section Table 90"),)
        return {chunk_id: found for chunk_id in chunk_ids if chunk_id == "guide-0"}

    def expand(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        self.asked.append((tuple(chunk_ids), depth, max_total))
        far = [replace(chunk("Far away.", 90 + i), section=(f"Table {90 + i}",)) for i in range(5)]
        return far[:depth][:max_total] if "guide-0" in chunk_ids else []


def hits(count: int, similarity: float = 0.8) -> tuple[Hit, ...]:
    """Return hits that get less similar one after the other."""
    return tuple(
        Hit(chunk(f"Note {i} on keys of {i} bytes.", i), 1 - i / 100, similarity - i / 1000)
        for i in range(count)
    )


def writes(text: str) -> Completion:
    return Completion(text, ModelCall("filter", 500, 40, model="fake"))


def settings(**changes: object) -> Settings:
    return replace(Settings(), filter=FilterSettings(**changes))  # type: ignore[arg-type]  # (they fit)


def given(model: ScriptedChat, cache: DecisionCache | None = None) -> Ports:
    return replace(ports(ScriptedChat(), filterer=model), decisions=cache)


@dataclass
class Run:
    """One run of a filter, and what came of it."""

    outcome: Outcome[object]
    kept: list[int]
    """The numbers of the chunks that are in the result, in its order."""
    stats: FilterStats
    meter: Meter

    @property
    def notes(self) -> tuple[str, ...]:
        return self.outcome.event.notes

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        return [(decision.verdict, decision.why) for decision in self.stats.decisions]


def run(  # noqa: PLR0913 (one collaborator each)
    model: ScriptedChat,
    found: Sequence[Hit],
    wanted: Settings,
    *,
    max_chunks: int = 5,
    cache: DecisionCache | None = None,
    links: Links | None = None,
    allowance: Allowance = ENOUGH,
    exclude: Sequence[str] = (),
    question: str = "",
) -> Run:
    """Filter `found` with a new filter."""
    used = given(model, cache)
    meter = Meter(allowance, tokenizer=used.tokenizer, clock=used.clock)
    keep = HitFilter(
        used,
        wanted,
        PROMPTS,
        references=links.references if links else no_references,
        expand=links.expand if links else no_expansion,
    )
    outcome = keep(
        QUERY, found, max_chunks=max_chunks, meter=meter, exclude=exclude, question=question
    )
    return Run(
        Outcome(outcome.value, outcome.event),
        [hit.chunk.order for hit in outcome.value.hits],
        outcome.value.stats,
        meter,
    )
