"""Filter: which hits of a search are kept, and what the kept ones bring along."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError, ModelTimeoutError
from research_agent.planning.filter import verdicts
from research_agent.planning.filter.prompt import decision_key, shown_chunks
from research_agent.planning.reading import Links, Reach
from research_agent.text.content_words import content_words, share_held
from research_agent.types import Chunk, Hit, Message, Outcome, TraceEvent
from research_agent.types.calls import dangling
from research_agent.types.evidence import readable
from research_agent.types.filtering import (
    DEPTHS,
    ChunkDecision,
    Fallback,
    Filtered,
    Why,
    counted,
    oversampled,
)
from research_agent.types.references import with_referred

SECONDS = 60.0
"""Time that judging the hits of one search may take."""
TOKENS_A_VERDICT, LEAST_A_VERDICT, AROUND = 24, 10, 24
"""Tokens of a reply: at most and at least a chunk, with its reason, and for the whole."""
LAST = 2
"""Hits that are kept where the model discards every one: what reads them may judge otherwise."""


@dataclass(frozen=True, slots=True)
class _Judgement:
    decisions: tuple[ChunkDecision, ...]
    unknown: int = 0
    repeated: int = 0
    fallback: str = ""
    fallback_type: Fallback = ""


class HitFilter:
    """Keeps the hits of one search that are worth reading, as `filter.mode` says.

    A model that fails, is late or says nothing of use leaves the ranking as it is, with a note.
    """

    def __init__(self, context: StepContext, links: Links, question: str = "") -> None:
        """`question` is what the user asked, where the query is only a part of it."""
        self._context, self._links, self._question = context, links, question
        self._settings = context.settings.filter

    def __call__(self, query: str, hits: Sequence[Hit], max_chunks: int) -> Outcome[Filtered]:
        """Return at most `max_chunks` of the hits, with what they bring along among them.

        The trace event has the notes; the calls are the meter's.
        """
        clock, meter = self._context.ports.clock, self._context.meter
        calls_before = len(meter.calls)
        started = clock.seconds()
        looked_at, dissimilar = self._candidates(query, hits, max_chunks)
        judged = self._judged(query, looked_at)
        decisions = settled(judged.decisions, max_chunks=max_chunks)
        seated = [hit for hit, d in zip(looked_at, decisions, strict=True) if d.kept]
        judging = clock.seconds() - started
        found = self._with_referred(seated, decisions)
        exclude, ids = self._links.within.exclude, _ids(seated)
        refers = self._links.references(ids) if seated else {}
        by_id = {d.chunk_id: d for d in decisions}
        by_id |= {i: ChunkDecision(i, "discard", "similarity") for i in _ids(dissimilar)}
        read = [call.prompt_tokens for call in meter.calls[calls_before:] if not call.reused]
        stats = replace(
            counted(self._settings.mode, [by_id[i] for i in _ids(hits) if i in by_id]),
            expanded=len(found) - len(seated),
            reused=sum(decision.why == "reused" for decision in judged.decisions),
            unknown_ids=judged.unknown,
            repeated_ids=judged.repeated,
            tokens_before=self._tokens([*looked_at, *dissimilar]),
            tokens_after=self._tokens(found),
            prompt_tokens=sum(read),
            filter_seconds=judging,
            expand_seconds=clock.seconds() - started - judging,
            fallback=judged.fallback,
            fallback_type=judged.fallback_type,
            dangling_before=dangling(refers, {*exclude, *ids}),
            dangling_after=dangling(refers, {*exclude, *ids, *_ids(found)}),
        )
        unreadable = int(judged.fallback_type == "unreadable")
        notes = _notes(decisions, judged.fallback)
        return Outcome(Filtered(found, stats), TraceEvent(notes=notes, unreadable=unreadable))

    def _candidates(
        self, query: str, hits: Sequence[Hit], max_chunks: int
    ) -> tuple[Sequence[Hit], Sequence[Hit]]:
        """Return the hits to judge, and those before the last that are unlike query and words."""
        mode, least = self._settings.mode, self._settings.min_similarity
        if mode == "off":
            return hits[:max_chunks], ()
        limit = oversampled(max_chunks, self._settings.oversample) if mode == "llm" else max_chunks
        similar, dissimilar = list[Hit](), list[Hit]()
        for hit in hits:
            if len(similar) < limit:
                near = hit.similarity is None or hit.similarity >= least
                (similar if near or _holds_all(hit.chunk, query) else dissimilar).append(hit)
        return similar, dissimilar

    def _judged(self, query: str, hits: Sequence[Hit]) -> _Judgement:
        """Return a decision on each hit; the model is asked about those without a kept verdict."""
        if self._settings.mode != "llm" or not hits:
            return _Judgement(tuple(map(ChunkDecision, _ids(hits))))
        cache, prompt = self._context.ports.decisions, self._context.prompts.filter.text
        reach = self._links.reaches(_ids(hits))
        about = f"{self._question or query}\0{query}"
        keys = [decision_key(prompt, about, hit.chunk, _of(reach, hit).names) for hit in hits]
        kept = cache.get(keys) if cache else {}
        decisions = {
            i: replace(decision, chunk_id=hits[i].chunk.chunk_id)
            for i, key in enumerate(keys)
            if key in kept and (decision := verdicts.read_kept(kept[key]))
        }
        asked = [i for i in range(len(hits)) if i not in decisions]
        judged = _Judgement(())
        if asked:
            judged = self._asked(query, [hits[i] for i in asked], reach)
            decisions |= dict(zip(asked, judged.decisions, strict=True))
            if cache:
                fresh = {keys[i]: d for i, d in decisions.items() if d.why == "model"}
                cache.put({key: verdicts.kept_verdict(d) for key, d in fresh.items()})
        return replace(judged, decisions=tuple(decisions[i] for i in range(len(hits))))

    def _asked(self, query: str, hits: Sequence[Hit], reach: Mapping[str, Reach]) -> _Judgement:
        """Ask about `hits`; a reply that says nothing of any of them is a failure too."""
        question = self._question or query
        search = "" if query == question else f"This search: {query}\n"

        def prompt(chunks: str) -> str:
            return self._context.prompts.filter.render(
                question=question, search=search, chunks=chunks
            )

        count = self._context.ports.tokenizer.count
        room = self._settings.max_prompt_tokens - count(prompt(""))
        links = {chunk_id: found.told for chunk_id, found in reach.items()}
        shown = shown_chunks(f"{question} {query}", hits, links, room=room, count=count)
        parsed = verdicts.Verdicts({})
        kind: Fallback = "no_room"
        fallback = "filter.max_prompt_tokens has no room for any chunk"
        if shown.aliases:
            steps = {alias: _of(reach, hits[i]).steps for alias, i in shown.aliases.items()}
            try:
                reply = self._context.meter.ask(
                    self._context.ports.filterer,
                    "filter",
                    [Message("user", prompt(shown.text))],
                    max_tokens=TOKENS_A_VERDICT * len(steps) + AROUND,
                    least_tokens=LEAST_A_VERDICT * len(steps),
                    schema=verdicts.decision_schema(steps),
                    seconds=SECONDS,
                )
                parsed = verdicts.read_verdicts(reply.text, steps)
                fallback, kind = "the reply has no verdict on any chunk", "unreadable"
                if parsed.by_alias:
                    fallback = kind = ""
            except (ModelError, BudgetError) as error:
                fallback, kind = str(error), "error"
                if isinstance(error, BudgetError | ModelTimeoutError):
                    kind = "budget" if isinstance(error, BudgetError) else "time_out"
        decisions = [ChunkDecision(chunk_id, why="no_room") for chunk_id in _ids(hits)]
        for alias, i in shown.aliases.items():
            verdict = parsed.by_alias.get(alias)
            why: Why = "model" if verdict else "failed" if fallback else "not_mentioned"
            reason = parsed.reasons.get(alias, "")
            decisions[i] = replace(
                decisions[i], verdict=verdict or "undecided", why=why, reason=reason
            )
        return _Judgement(tuple(decisions), parsed.unknown, parsed.repeated, fallback, kind)

    def _with_referred(
        self, kept: Sequence[Hit], decisions: Sequence[ChunkDecision]
    ) -> tuple[Hit, ...]:
        """Return the kept hits, with the new chunks that hits to be expanded refer to.

        More is asked for than there is room for: what is there already takes no place.
        """
        room, there = self._settings.max_expanded, {*self._links.within.exclude, *_ids(kept)}
        brought = dict[str, Sequence[Chunk]]()
        for decision in decisions if room else ():
            if decision.kept and decision.verdict in DEPTHS:
                depth, most = DEPTHS[decision.verdict], room + len(there)
                reached = self._links.further([decision.chunk_id], depth=depth, max_total=most)
                new = [chunk for chunk in reached if chunk.chunk_id not in there]
                brought[decision.chunk_id] = new
        return with_referred(kept, brought, most=room) if brought else tuple(kept)

    def _tokens(self, hits: Sequence[Hit]) -> int:
        return sum(self._context.ports.tokenizer.count(readable(hit.chunk)) for hit in hits)


def settled(decisions: Sequence[ChunkDecision], *, max_chunks: int) -> tuple[ChunkDecision, ...]:
    """Return the decisions with `kept` for at most `max_chunks`: the wanted, then undecided ones.

    Where the model discards all it was shown, the `LAST` best are kept.
    """
    asked = [i for i, d in enumerate(decisions) if d.why != "no_room"]
    if asked and all(decisions[i].verdict == "discard" for i in asked):
        best = set(asked[: min(LAST, max_chunks)])
        return tuple(
            replace(d, kept=True, why="all_discarded") if i in best else d
            for i, d in enumerate(decisions)
        )
    wanted = [i for i, d in enumerate(decisions) if d.verdict not in {"discard", "undecided"}]
    undecided = [i for i, d in enumerate(decisions) if d.verdict == "undecided"]
    seats = set([*wanted, *undecided][:max_chunks])
    return tuple(replace(decision, kept=i in seats) for i, decision in enumerate(decisions))


def _ids(hits: Iterable[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


def _of(reach: Mapping[str, Reach], hit: Hit) -> Reach:
    return reach.get(hit.chunk.chunk_id, Reach())


def _notes(decisions: Sequence[ChunkDecision], fallback: str) -> tuple[str, ...]:
    whys = [decision.why for decision in decisions]
    missing, crowded = whys.count("failed") + whys.count("not_mentioned"), whys.count("no_room")
    why = f" ({fallback})" if fallback else ""
    notes = {
        f"filter: no verdict on {missing} hits, kept{why}": missing,
        f"filter: no room for {crowded} hits in filter.max_prompt_tokens, kept": crowded,
        "filter: the model discarded all hits of a search": whys.count("all_discarded"),
    }
    return tuple(note for note, count in notes.items() if count)


def _holds_all(chunk: Chunk, query: str) -> bool:
    """Return whether a chunk and its headings hold every word of a query."""
    held = content_words("\n".join((*chunk.section, chunk.text)))
    return share_held(query, held) == 1.0
