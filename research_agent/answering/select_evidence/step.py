"""Select evidence: the best hits within the limits, what belongs to them, less what is pruned."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from research_agent.answering.select_evidence.gain import Unmeasured
from research_agent.answering.select_evidence.pruning import judged
from research_agent.context import StepContext
from research_agent.settings import EvidenceSettings
from research_agent.text.pseudocode import goes_on
from research_agent.text.tables import head_of
from research_agent.types import Chunk, Hit, Outcome, TraceEvent
from research_agent.types.evidence import Evidence, order, readable
from research_agent.types.pruning import Pruned, PruneStats
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.verification import Check

Count = Callable[[str], int]
"""How many tokens a text has."""
Around = Callable[[Chunk, int], Sequence[Chunk]]
"""The chunks of a document up to a number of places before and after one of them."""
LEAST = 1
"""Chunks that pruning leaves in any case."""
SUMMED = (
    *("original", "kept", "protected", "unmeasured", "reinstated", "calls"),
    *("tokens_before", "tokens_after"),
)
UNMEASURABLE: Unmeasured = "no log-probabilities"


@dataclass(frozen=True, slots=True)
class EarlierEvidence:
    """What the rounds before have left."""

    evidence: tuple[Evidence, ...] = ()
    pruned: Pruned = field(default_factory=Pruned)
    check: Check = field(default_factory=Check)


@dataclass(frozen=True, slots=True)
class Selected:
    """The evidence, and the chunks that pruning left out."""

    evidence: tuple[Evidence, ...]
    pruned: Pruned


def select_evidence(
    question: str,
    hits: Sequence[Hit],
    earlier: EarlierEvidence,
    context: StepContext,
    scope: Scope = EVERYTHING,
) -> Outcome[Selected]:
    """Return the evidence with the best new hits in the scope, less what pruning leaves out.

    Where the check wants it (`verify`), what was left out enters instead, and nothing is judged.
    """
    before, settings = earlier.pruned, context.settings.prune
    chunks, count = context.ports.chunks, context.ports.tokenizer.count

    def around(chunk: Chunk, window: int) -> list[Chunk]:
        return [one for one in chunks.around(chunk.chunk_id, window=window) if scope.admits(one)]

    def chosen(wanted: Sequence[Hit]) -> tuple[Evidence, ...]:
        return with_hits(wanted, earlier.evidence, context.settings.evidence, count, around)

    def new(evidence: Sequence[Evidence]) -> Sequence[Evidence]:
        return evidence[len(earlier.evidence) :]

    if earlier.check.reason == "pruned" and before.may_return:
        whole = chosen(before.dropped)
        return Outcome(Selected(whole, _brought_back(before, new(whole), count)))
    whole = chosen(hits)
    found = {hit.chunk.chunk_id for hit in hits}
    fresh = [item.hit for item in new(whole) if item.hit.chunk.chunk_id in found]
    by_gain = settings.by == "gain"
    known_unmeasurable = by_gain and before.stats.fallback == UNMEASURABLE
    if settings.mode == "off" or before.spent or len(fresh) <= LEAST or known_unmeasurable:
        return Outcome(Selected(whole, before))
    stats = judged(question, fresh, context, before.stats.source)
    evidence, dropped = whole, tuple[Hit, ...]()
    kept = [hit for hit, one in zip(fresh, stats.decisions, strict=True) if one.kept]
    if len(kept) < len(fresh):
        evidence = chosen(kept)
        there = _ids(evidence)  # (what is left out may enter all the same, as a neighbour)
        dropped = tuple(hit for hit in fresh if hit.chunk.chunk_id not in there)
    tokens = _tokens(new(whole), count), _tokens(new(evidence), count)
    stats = replace(stats, tokens_before=tokens[0], tokens_after=tokens[1])
    pruned = Pruned(added(before.stats, stats), (*before.dropped, *dropped))
    event = TraceEvent(context.meter.calls, _notes(stats, by_gain=by_gain))
    return Outcome(Selected(evidence, pruned), event)


def with_hits(
    hits: Sequence[Hit],
    earlier: Sequence[Evidence],
    limits: EvidenceSettings,
    count: Count,
    around: Around = lambda _chunk, _window: (),
) -> tuple[Evidence, ...]:
    """Add the best new `hits` to the evidence of `earlier` rounds, within a round's limits.

    The first always enters; a later one that does not fit is passed over. What a hit introduces (it
    ends with a colon) enters right behind it; last come other parts of tables and algorithms, then
    neighbours. Keys never change, so prompts keep their prefix.
    """
    entering = _Entering(list(earlier), _ids(earlier), limits, count)
    fresh: list[Hit] = []
    for hit in copies_last(sorted(hits, key=order), earlier):
        if len(fresh) >= limits.max_chunks:
            break
        if entering.add(hit, always=not fresh):
            fresh.append(hit)
            listed = around(hit.chunk, LISTED) if is_lead_in(hit.chunk) else ()
            entering.add_beside(hit, introduced(hit.chunk, listed))
    for hit in fresh:
        near = around(hit.chunk, max(WHOLE, limits.neighbours))
        entering.add_beside(hit, belonging(hit.chunk, near))
        entering.add_beside(hit, neighbours(hit.chunk, near, limits.neighbours))
    return tuple(entering.selected)


def copies_last(hits: Sequence[Hit], earlier: Sequence[Evidence]) -> list[Hit]:
    """Return hits, last those whose text is that of an earlier one: copied files take no places.

    >>> hits = [Hit(Chunk(name, "d", text)) for name, text in [("a", "x"), ("b", "x"), ("c", "y")]]
    >>> [hit.chunk.chunk_id for hit in copies_last(hits, [])]
    ['a', 'c', 'b']
    """
    known = {item.hit.chunk.text for item in earlier}
    first, copies = list[Hit](), list[Hit]()
    for hit in hits:
        (copies if hit.chunk.text in known else first).append(hit)
        known.add(hit.chunk.text)
    return [*first, *copies]


@dataclass
class _Entering:
    """Evidence while it is being selected, and how long its new part is."""

    selected: list[Evidence]
    known: set[str]
    limits: EvidenceSettings
    count: Count
    tokens: int = 0
    chars: int = 0

    def add(self, hit: Hit, *, always: bool = False) -> bool:
        if hit.chunk.chunk_id in self.known:
            return False
        text = readable(hit.chunk)
        tokens, chars = self.tokens + self.count(text), self.chars + len(text)
        fits = tokens <= self.limits.max_tokens and chars <= self.limits.max_chars
        if not (fits or always):
            return False
        self.tokens, self.chars = tokens, chars
        self.known.add(hit.chunk.chunk_id)
        self.selected.append(Evidence(f"c{len(self.selected) + 1}", hit))
        return True

    def add_beside(self, hit: Hit, chunks: Sequence[Chunk]) -> None:
        for chunk in chunks:
            self.add(Hit(chunk, hit.score))


def _ids(evidence: Sequence[Evidence]) -> set[str]:
    return {item.hit.chunk.chunk_id for item in evidence}


def _tokens(evidence: Sequence[Evidence], count: Count) -> int:
    return sum(count(readable(item.hit.chunk)) for item in evidence)


def _brought_back(before: Pruned, new: Sequence[Evidence], count: Count) -> Pruned:
    """Return what is known of pruning once all that was left out is back, as far as it fits."""
    back = {hit.chunk.chunk_id for hit in before.dropped} & _ids(new)
    decisions = tuple(
        replace(one, kept=True, why="reinstated") if one.chunk_id in back else one
        for one in before.stats.decisions
    )
    stats = replace(
        before.stats,
        kept=before.stats.kept + len(back),
        reinstated=before.stats.reinstated + len(back),
        tokens_after=before.stats.tokens_after + _tokens(new, count),
        decisions=decisions,
    )
    return Pruned(stats, spent=True)


def added(before: PruneStats, now: PruneStats) -> PruneStats:
    """Return the stats of two rounds as one."""
    return replace(
        now,
        **{name: getattr(before, name) + getattr(now, name) for name in SUMMED},
        nu=before.nu if now.nu is None else now.nu,
        fallback=now.fallback or before.fallback,
        decisions=(*before.decisions, *now.decisions),
    )


def _notes(stats: PruneStats, *, by_gain: bool) -> tuple[str, ...]:
    """Return the warnings; with `prune.by: gain` a lack of log-probabilities is none."""
    if not stats.fallback or (by_gain and stats.fallback == UNMEASURABLE):
        return ()
    if stats.source == "similarity":
        return (f"prune: chunks were judged by similarity: {stats.fallback}",)
    return (f"prune: {stats.unmeasured} chunks were not measured, kept: {stats.fallback}",)


WHOLE = 2
"""Chunks before and after that may belong to the same table or algorithm."""
LISTED = 8
"""Chunks after one that ends with a colon that may hold what it introduces."""
_ITEM = re.compile(r"\(?(\d{1,2})[.)]\s")


def belonging(chunk: Chunk, around: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return those of `around` that are parts of the same table or algorithm, in their order.

    `around` is of the same document. A part is followed by the next one without a gap.
    """
    by_order = {other.order: other for other in around} | {chunk.order: chunk}
    parts = [*_parts(chunk, by_order, -1), *_parts(chunk, by_order, 1)]
    return tuple(sorted(parts, key=lambda part: part.order))


def _parts(chunk: Chunk, by_order: dict[int, Chunk], step: int) -> Iterator[Chunk]:
    here = chunk
    while following := by_order.get(here.order + step):
        first, second = (here, following) if step > 0 else (following, here)
        if not _is_part(first, second):
            return
        yield following
        here = following


def _is_part(first: Chunk, second: Chunk) -> bool:
    if first.section != second.section:
        return False
    if first.kind == second.kind == "table":
        head = head_of(first.text)
        return bool(head) and head == head_of(second.text)
    return goes_on(first.text, second.text)


def is_lead_in(chunk: Chunk) -> bool:
    """Return whether a chunk only introduces what follows: it ends with a colon."""
    return chunk.text.rstrip().endswith((":", "\N{FULLWIDTH COLON}"))


def introduced(chunk: Chunk, around: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return what a chunk that ends with a colon introduces.

    That is the next chunk, and the further items of a numbered list.
    """
    by_order = {other.order: other for other in around}
    following = by_order.get(chunk.order + 1)
    if not is_lead_in(chunk) or following is None:
        return ()
    items = [following]
    while (after := by_order.get(items[-1].order + 1)) and _counts_on(items[-1], after):
        items.append(after)
    return tuple(items)


def _counts_on(item: Chunk, after: Chunk) -> bool:
    first, second = _ITEM.match(item.text), _ITEM.match(after.text)
    return first is not None and second is not None and int(second[1]) == int(first[1]) + 1


def neighbours(chunk: Chunk, around: Sequence[Chunk], window: int) -> tuple[Chunk, ...]:
    """Return the chunks up to `window` places before and after, the nearest first."""
    near = [other for other in around if 0 < abs(other.order - chunk.order) <= window]
    return tuple(sorted(near, key=lambda other: (abs(other.order - chunk.order), -other.order)))
