"""The filter of one search: candidates, verdicts, seats, and what kept hits bring along."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from research_agent.errors import ModelTimeoutError
from research_agent.metering import Meter
from research_agent.planning.filter.candidates import GAP, Candidates, candidates, search_limit
from research_agent.planning.filter.judging import Judge, Judgement, Sought
from research_agent.planning.filter.pointwise import PointwiseJudge
from research_agent.planning.filter.references import (
    Expand,
    References,
    no_expansion,
    no_references,
)
from research_agent.planning.filter.together import TogetherJudge
from research_agent.ports import ChatModel, JsonSchema, Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.types import Chunk, Completion, Hit, Message, Outcome, TraceEvent
from research_agent.types.budget import MIN_SECONDS
from research_agent.types.evidence import readable
from research_agent.types.expansion import with_referred
from research_agent.types.filtering import (
    DEPTHS,
    ChunkDecision,
    Filtered,
    counted,
    settled,
)
from research_agent.types.question_plan import plan_question
from research_agent.types.referring import dangling


class HitFilter:
    """Keeps the hits worth reading, as `filter.mode` says. Threads may share it.

    A model that fails, is late or says nothing of use leaves the ranking as it is, with a note.
    """

    def __init__(
        self,
        ports: Ports,
        settings: Settings,
        prompts: Prompts,
        *,
        references: References = no_references,
        expand: Expand = no_expansion,
    ) -> None:
        """Choose how to judge; without `references` and `expand` chunks refer to nothing."""
        self._ports, self._settings = ports, settings
        self._references, self._expand = references, expand
        self._judge = _judge(ports, settings, prompts, references, expand)

    def limit(self, query: str, max_chunks: int) -> int:
        """Return how many hits of the search this filter looks at."""
        filtering = self._settings.filter
        if self._judge is None:
            return max_chunks
        kind = plan_question(query, self._settings.retrieval.words).kind
        adaptive = filtering.adaptive == "on"
        return search_limit(max_chunks, filtering.oversample, kind=kind, adaptive=adaptive)

    def __call__(
        self,
        query: str,
        hits: Sequence[Hit],
        *,
        max_chunks: int,
        meter: Meter,
        exclude: Collection[str] = (),
        question: str = "",
    ) -> Outcome[Filtered]:
        """Return at most `max_chunks` of the hits, with what they bring along among them.

        `question` is what the user asked, where the query is only a part of it. Chunks to
        `exclude`, by their ids, are not brought along and take no place. The trace event has the
        notes; the calls are the meter's.
        """
        clock, before = self._ports.clock, len(meter.calls)
        started = clock.seconds()
        looked_at = self._candidates(query, hits, max_chunks)
        judged = self._judged(Sought(query, question or query), looked_at.hits, meter)
        decisions = settled(judged.decisions, max_chunks=max_chunks)
        seated = [h for h, d in zip(looked_at.hits, decisions, strict=True) if d.kept]
        judging = clock.seconds() - started
        found = self._with_referred(seated, decisions, exclude)
        refers = self._references([hit.chunk.chunk_id for hit in seated]) if seated else {}
        there = {*exclude, *(hit.chunk.chunk_id for hit in seated)}
        read = [call.prompt_tokens for call in meter.calls[before:] if not call.reused]
        everything = _in_order(hits, looked_at, decisions)
        stats = replace(
            counted(self._settings.filter.mode, everything),
            expanded=len(found) - len(seated),
            reused=sum(decision.why == "reused" for decision in judged.decisions),
            unknown_ids=judged.unknown_ids,
            repeated_ids=judged.repeated_ids,
            tokens_before=self._tokens([*looked_at.hits, *looked_at.dissimilar]),
            tokens_after=self._tokens(found),
            prompt_tokens=sum(read),
            filter_seconds=judging,
            expand_seconds=clock.seconds() - started - judging,
            fallback=judged.fallback,
            fallback_type=judged.fallback_type,
            dangling_before=dangling(refers, there),
            dangling_after=dangling(refers, {*there, *(hit.chunk.chunk_id for hit in found)}),
        )
        unreadable = int(judged.fallback_type == "unreadable")
        notes = _notes(decisions, judged.fallback)
        return Outcome(Filtered(found, stats), TraceEvent(notes=notes, unreadable=unreadable))

    def _candidates(self, query: str, hits: Sequence[Hit], max_chunks: int) -> Candidates:
        filtering = self._settings.filter
        if filtering.mode == "off":
            return Candidates(tuple(hits[:max_chunks]))
        return candidates(
            hits,
            limit=self.limit(query, max_chunks),
            min_similarity=filtering.min_similarity,
            wanted=max_chunks,
            gap=GAP if filtering.adaptive == "on" else 2.0,
        )

    def _judged(self, sought: Sought, hits: Sequence[Hit], meter: Meter) -> Judgement:
        if self._judge is None or not hits:
            return Judgement(tuple(ChunkDecision(hit.chunk.chunk_id) for hit in hits))
        asking = _Asking(self._ports, meter, self._settings.filter.seconds)
        return self._judge(sought, hits, asking)

    def _with_referred(
        self, kept: Sequence[Hit], decisions: Sequence[ChunkDecision], exclude: Collection[str]
    ) -> tuple[Hit, ...]:
        """Return the kept hits with what those to be expanded refer to and is not there yet.

        More is asked for than there is room for: what is there already takes no place.
        """
        room, there = (
            self._settings.filter.max_expanded,
            {*exclude, *(h.chunk.chunk_id for h in kept)},
        )
        brought = dict[str, Sequence[Chunk]]()
        for decision in decisions if room else ():
            if decision.kept and decision.verdict in DEPTHS:
                depth, most = DEPTHS[decision.verdict], room + len(there)
                reached = self._expand([decision.chunk_id], depth=depth, max_total=most)
                new = [chunk for chunk in reached if chunk.chunk_id not in there]
                brought[decision.chunk_id] = new
        return with_referred(kept, brought, most=room) if brought else tuple(kept)

    def _tokens(self, hits: Sequence[Hit]) -> int:
        return sum(self._ports.tokenizer.count(readable(hit.chunk)) for hit in hits)


class _Asking:
    """Asks the filter model within a search's budget and the filter's seconds. Implements Ask."""

    def __init__(self, ports: Ports, meter: Meter, seconds: float) -> None:
        self._model: ChatModel = ports.filterer
        self._clock, self._meter = ports.clock, meter
        self._until = ports.clock.seconds() + seconds

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        least_tokens: int = 1,
        schema: JsonSchema | None = None,
    ) -> Completion:
        seconds = self._until - self._clock.seconds()
        if seconds < MIN_SECONDS:
            raise ModelTimeoutError("filter.seconds is over")
        return self._meter.ask(
            self._model,
            "filter",
            messages,
            max_tokens=max_tokens,
            least_tokens=least_tokens,
            schema=schema,
            seconds=seconds,
        )


def _judge(
    ports: Ports, settings: Settings, prompts: Prompts, references: References, expand: Expand
) -> Judge | None:
    """Return the way to ask the model; None where it is not asked."""
    filtering, count = settings.filter, ports.tokenizer.count
    if filtering.mode == "pointwise":
        return PointwiseJudge(filtering, prompts.relevant, count, ports.decisions)
    if filtering.mode == "llm":
        return TogetherJudge(filtering, prompts.filter, count, references, expand, ports.decisions)
    return None


def _in_order(
    hits: Sequence[Hit], looked_at: Candidates, decisions: Sequence[ChunkDecision]
) -> list[ChunkDecision]:
    """Return a decision on each hit looked at, as they rank."""
    found = {decision.chunk_id: decision for decision in decisions}
    for hit in looked_at.dissimilar:
        found[hit.chunk.chunk_id] = ChunkDecision(hit.chunk.chunk_id, "discard", "similarity")
    return [found[hit.chunk.chunk_id] for hit in hits if hit.chunk.chunk_id in found]


def _notes(decisions: Sequence[ChunkDecision], fallback: str) -> tuple[str, ...]:
    """Return what went another way than planned, a sentence each."""
    notes = list[str]()
    missing = sum(d.why in {"failed", "not_mentioned"} for d in decisions)
    if missing:
        why = f" ({fallback})" if fallback else ""
        notes.append(f"filter: no verdict on {missing} hits, kept{why}")
    crowded = sum(decision.why == "no_room" for decision in decisions)
    if crowded:
        notes.append(f"filter: no room for {crowded} hits in filter.max_prompt_tokens, kept")
    if any(decision.why == "all_discarded" for decision in decisions):
        notes.append("filter: the model discarded all hits of a search")
    return tuple(notes)
