"""All that may give hits a new order, one after the other."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from research_agent.errors import ConfigError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.retrieval.reorder.blending import Blending
from research_agent.retrieval.reorder.promotion import Kind, promote
from research_agent.retrieval.reorder.reranking import YesNoReranker, fenced_chunk, passage, rerank
from research_agent.settings import Settings
from research_agent.types import Hit, Outcome, TraceEvent
from research_agent.types.budget import MIN_SECONDS
from research_agent.types.question_plan import QuestionKind, plan_question
from research_agent.types.reordering import Reordered

KINDS: Mapping[QuestionKind, Kind] = {
    "definition": "definition",
    "look-up": "algorithm",
    "comparison": "compare",
}
"""How promotion calls the kinds of questions; every other one is general."""


class Stage(Protocol):
    """One of the things that may reorder hits."""

    def __call__(
        self, query: str, hits: Sequence[Hit], *, top_k: int, meter: Meter
    ) -> Outcome[tuple[Hit, ...]]:
        """Return the hits in their new order; the event says what failed."""


class Reorderer:
    """Blends and then promotes or reranks, as the settings say; by default it does nothing.

    A fault of a model or a spent budget keeps the order of the stage before, with a note. Threads
    may share it.
    """

    def __init__(self, ports: Ports, settings: Settings, prompts: Prompts) -> None:
        """Choose the stages; raises ConfigError where the reranker that is wanted is missing."""
        self._ports, self._settings, self._prompts = ports, settings, prompts
        if settings.rerank.mode == "http" and ports.reranker is None:
            raise ConfigError(
                "rerank.mode is http, and there is no rerank server",
                hint="Give Ports.reranker, or set rerank.mode: off.",
            )
        self._stages = dict(self._chosen())

    def __call__(
        self, query: str, hits: Sequence[Hit], *, top_k: int, meter: Meter
    ) -> Outcome[Reordered]:
        """Return the hits in their new order, of which `top_k` will be shown."""
        found, notes = tuple(hits), list[str]()
        stages = list[tuple[str, tuple[str, ...]]]()
        for name, stage in self._stages.items():
            done = stage(query, found, top_k=top_k, meter=meter)
            found = done.value
            notes += done.event.notes
            stages.append((name, tuple(hit.chunk.chunk_id for hit in found)))
        return Outcome(Reordered(found, tuple(stages)), TraceEvent(notes=tuple(notes)))

    def _chosen(self) -> Sequence[tuple[str, Stage]]:
        """Return the stages with the names under which an explanation shows them."""
        blend, mode = self._settings.blend, self._settings.rerank.mode
        chosen = list[tuple[str, Stage]]()
        if blend.mode != "off":
            candidates = self._settings.rerank.candidates
            stage = Blending(self._ports, blend, self._prompts.code, candidates=candidates)
            chosen.append((f"blended with {blend.mode}", stage))
        if mode == "promote":
            chosen.append(("promoted", self._promoted))
        elif mode != "off":
            chosen.append((f"reranked ({mode})", self._reranked))
        return chosen

    def _promoted(
        self,
        query: str,
        hits: Sequence[Hit],
        *,
        top_k: int,
        meter: Meter,  # noqa: ARG002 (promotion asks no model)
    ) -> Outcome[tuple[Hit, ...]]:
        """Move hits with the query's technical words up, by the rule for its kind of question."""
        retrieval = self._settings.retrieval
        kind: Kind = "general"
        if retrieval.planner == "on":
            kind = KINDS.get(plan_question(query, retrieval.words).kind, "general")
        pool = self._settings.rerank.pool
        return Outcome(promote(query, hits, top_k=top_k, kind=kind, pool=pool).hits)

    def _reranked(
        self,
        query: str,
        hits: Sequence[Hit],
        *,
        top_k: int,  # noqa: ARG002 (a reranker looks at `rerank.candidates`)
        meter: Meter,
    ) -> Outcome[tuple[Hit, ...]]:
        """Ask the rerank server, or the filter model, within the seconds that are left."""
        settings, ports, left = self._settings.rerank, self._ports, meter.left().seconds
        if left < MIN_SECONDS:
            note = "rerank: budget.seconds is spent; the order was kept"
            return Outcome(tuple(hits), TraceEvent(notes=(note,)))
        served = ports.reranker if settings.mode == "http" else None
        by_model = YesNoReranker(
            lambda messages: meter.ask(ports.filterer, "filter", messages, max_tokens=1),
            self._prompts.relevant,
            ports.clock,
        )
        return rerank(
            query,
            hits,
            reranker=served or by_model,
            candidates=settings.candidates,
            min_score=settings.min_score,
            text_of=passage if served else fenced_chunk,
            seconds=min(settings.timeout, left),
        )
