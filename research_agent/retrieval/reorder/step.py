"""All that may give hits a new order, one stage after the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ConfigError, ModelError
from research_agent.ports import Clock, SentencePairs
from research_agent.retrieval.reorder.blend import blend
from research_agent.retrieval.reorder.codes import code_agreement
from research_agent.retrieval.reorder.promotion import promote
from research_agent.types import Hit, Outcome, TraceEvent, chunk_header
from research_agent.types.budget import MIN_SECONDS
from research_agent.types.evidence import readable
from research_agent.types.fusion import best_first, reordered
from research_agent.types.question_plan import plan_question

Stage = Outcome[tuple[Hit, ...]]


@dataclass(frozen=True, slots=True)
class Reordered:
    """Hits after all stages that may give them a new order."""

    hits: tuple[Hit, ...]
    stages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Name and chunk ids of each stage's ranking, in the order of work."""


def reorder(
    query: str, hits: Sequence[Hit], context: StepContext, *, top_k: int
) -> Outcome[Reordered]:
    """Blend, then promote or rerank, as the settings say; `top_k` of the hits will be shown.

    A fault of a model or a spent budget keeps the order of the stage before, with a note. Raises
    ConfigError where the reranker that is wanted is missing.
    """
    blending, mode = context.settings.blend.mode, context.settings.rerank.mode
    if mode == "http" and context.ports.reranker is None:
        raise ConfigError(
            "rerank.mode is http, and there is no rerank server",
            hint="Give Ports.reranker, or set rerank.mode: off.",
        )
    found, notes, stages = tuple(hits), list[str](), list[tuple[str, tuple[str, ...]]]()

    def add(name: str, done: Stage) -> tuple[Hit, ...]:
        notes.extend(done.event.notes)
        stages.append((name, tuple(hit.chunk.chunk_id for hit in done.value)))
        return done.value

    if blending != "off":
        by = "words" if blending == "words" else "codes"
        found = add(f"blended with {by}", _blended(query, found, context, top_k))
    if mode == "promote":
        found = add("promoted", _promoted(query, found, context, top_k))
    elif mode != "off":
        found = add(f"reranked ({mode})", _reranked(query, found, context))
    return Outcome(Reordered(found, tuple(stages)), TraceEvent(notes=tuple(notes)))


def _blended(query: str, hits: tuple[Hit, ...], context: StepContext, top_k: int) -> Stage:
    settings, log = context.settings.blend, context.ports.blend_log
    if settings.mode == "words":
        second = {h.chunk.chunk_id: h.lexical for h in hits if h.lexical is not None}
    else:
        second = code_agreement(query, hits)
    found, diagnostics = blend(hits, second, settings, top_k=top_k)
    if log:
        log.put(query, diagnostics)
    return Outcome(found)


def _promoted(query: str, hits: tuple[Hit, ...], context: StepContext, top_k: int) -> Stage:
    by_kind = context.settings.retrieval.question_kinds
    kind = plan_question(query).kind if by_kind else "general"
    return Outcome(promote(query, hits, top_k=top_k, kind=kind))


def _reranked(query: str, hits: tuple[Hit, ...], context: StepContext) -> Stage:
    """Order the first `candidates` hits by a reranker's verdicts; the rest follows as it was."""
    settings, ports, left = context.settings.rerank, context.ports, context.meter.left().seconds
    if left < MIN_SECONDS:
        note = "rerank: budget.seconds is spent; the order was kept"
        return Outcome(hits, TraceEvent(notes=(note,)))
    reranker = ports.reranker if settings.mode == "http" else None
    reranker = reranker or PairReranker(ports.pairs, ports.clock)
    given = best_first(hits)
    texts = [passage(hit) for hit in given[: settings.candidates]]
    try:
        verdicts = reranker.scores(query, texts, seconds=min(settings.timeout, left))
    except (ModelError, BudgetError) as error:
        cure = "" if error.retryable or not error.hint else f". {error.hint}"
        return Outcome(given, TraceEvent(notes=(f"rerank: {error}; the order was kept{cure}",)))
    missing = sum(verdict is None for verdict in verdicts)
    notes = (f"rerank: no verdict on {missing} of {len(verdicts)} hits",) if missing else ()
    return Outcome(by_verdicts(given, verdicts), TraceEvent(notes=notes))


def passage(hit: Hit) -> str:
    """Return a hit as a rerank server reads it: title and headings, then the text."""
    header, text = chunk_header(hit.chunk), readable(hit.chunk)
    return f"{header}\n{text}" if header else text


def by_verdicts(hits: Sequence[Hit], verdicts: Sequence[float | None]) -> tuple[Hit, ...]:
    """Order hits by a reranker's verdicts, the highest first; a hit without one keeps its rank."""
    given = dict(enumerate(verdicts[: len(hits)]))
    known = {at: verdict for at, verdict in given.items() if verdict is not None}
    order = list(range(len(hits)))
    for place, at in zip(known, sorted(known, key=lambda at: (-known[at], at)), strict=True):
        order[place] = at
    return reordered(hits, order)


class PairReranker:
    """The packaged cross-encoder as a reranker. Implements Reranker."""

    def __init__(self, pairs: SentencePairs, clock: Clock) -> None:
        self._pairs, self._clock = pairs, clock

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float | None, ...]:
        """Return the logit of each text; None for those that `seconds` left no time for.

        Raises ModelMissingError.
        """
        until = self._clock.seconds() + seconds
        found: list[float | None] = []
        for text in texts:
            late = self._clock.seconds() >= until
            found.append(None if late else self._pairs.relevance(query, [text])[0])
        return tuple(found)
