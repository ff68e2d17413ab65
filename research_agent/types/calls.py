"""The tool calls of one search: who writes them, what they found, when there are enough.

A call's `index` counts through the whole search, so results have one order whichever of
several parallel calls comes back first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from research_agent.types import Hit, TraceEvent
from research_agent.types.budget import Allowance, BudgetStop
from research_agent.types.filtering import FilterStats
from research_agent.types.fusion import fuse_hits, put_last, raised, reserve_slots
from research_agent.types.multi_hop import gaps
from research_agent.types.referring import Reference

SearchStop = Literal["planned", "no_new_evidence", "max_turns", "model_done", "error", BudgetStop]
PART_SLOT = 3
"""Behind this rank of the question's own hits the best new ones of a further query enter."""
HOP_SLOT = 5
"""The same for a query that an earlier one's answer has filled: the answer may be wrong."""
NOTHING = Allowance(0, 0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, ready to run; or one that is answered without running anything."""

    index: int
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    """JSON values, those that differ from the tool's defaults."""
    problem: str = ""
    """What is wrong with it, for the model to read; then it is not run."""
    repeats: int | None = None
    """The index of an earlier call that is the same; its result stands for this one too."""
    part: int = -1
    """Which of the refinement's queries it searches, where the planner wrote it."""
    slot: int = PART_SLOT
    """Behind which of the question's own hits its best new ones enter; 0: behind all."""
    bridges: tuple[str, ...] = ()
    """Ids of the chunks in which the answers stand that fill its query's gaps."""

    @property
    def query(self) -> str:
        """What is searched for; empty where the tool searches nothing."""
        return str(self.arguments.get("query", ""))

    @property
    def runs(self) -> bool:
        """Whether a tool is run for it."""
        return not self.problem and self.repeats is None


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The calls of one turn of the loop."""

    turn: int = 0
    author: Literal["model", "planner"] = "planner"
    calls: tuple[ToolCall, ...] = ()
    share: Allowance = NOTHING
    """What each of the calls may use."""
    stop: SearchStop | Literal[""] = ""
    """Why no turn can follow; empty where one can."""
    waiting: int = 0
    """Queries that the planner searches in later turns, with what this one finds."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found and kept, and what that cost."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    event: TraceEvent = field(default_factory=TraceEvent)
    total_found: int = 0
    """Chunks that the search found, before any was left out."""
    files_searched: int = 0
    """Documents that the search was limited to, or all."""
    search_time_ms: float = 0.0
    """With filter and expansion."""
    references: Mapping[str, tuple[Reference, ...]] = field(default_factory=dict)
    """What the hits refer to, by chunk id; those that refer to nothing are left out."""

    @property
    def filtering_stats(self) -> FilterStats:
        """The filter's record, under the name that callers of the tool know."""
        return self.stats


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call found."""

    call: ToolCall
    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    told: str = ""
    """What the model is told besides the hits: the documents, or what is wrong."""
    searched: bool = True
    """Hits were ranked by a query; else they were asked for by name, or there are none."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything the search has found so far, and whether to go on."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    decision: Literal["again", "stop"] = "stop"
    reason: SearchStop | Literal["new_evidence", "told", "waiting", ""] = ""
    """"told": a call was wrong, listed the documents, or read chunks; the model may go on from it.

    "waiting": a query needs what another one has found.
    """


def planned_calls(
    tool: str, queries: Sequence[str], first: int = 0, following: Sequence[str] = ()
) -> tuple[ToolCall, ...]:
    """Return one call a different query: the planner for models that write no tool calls.

    Those with a gap for an earlier one's answer have to wait. The hits of `following` come last.

    >>> [call.query for call in planned_calls("search_chunks", ["a", "b", "a", "c of #1"])]
    ['a', 'b']
    """
    parts = {query: at for at, query in reversed([*enumerate(queries)]) if not gaps(query, at)}
    different = enumerate(query for query in dict.fromkeys(queries) if query in parts)
    return tuple(
        ToolCall(
            first + i,
            tool,
            {"query": query},
            part=parts[query],
            slot=0 if query in following else PART_SLOT,
        )
        for i, query in different
    )


def affordable(plan: CallPlan, allowance: Allowance) -> CallPlan:
    """Return `plan` with the calls that fit into `allowance`, and the share of each.

    Calls for which no tool is run cost nothing and stay.

    >>> plan = affordable(CallPlan(calls=planned_calls("t", "ab")), Allowance(4, 1, 900, 30.0))
    >>> len(plan.calls), plan.stop, plan.share.llm_calls
    (1, 'budget_tool_calls', 4)
    """
    running = [call.index for call in plan.calls if call.runs]
    cut = set(running[allowance.tool_calls :])
    calls = tuple(call for call in plan.calls if call.index not in cut)
    share = allowance.share(len(running) - len(cut) or 1)
    return replace(plan, calls=calls, share=share, stop="budget_tool_calls" if cut else plan.stop)


def collect(
    results: Sequence[CallResult], plan: CallPlan, *, own_query: str, max_turns: int, rrf_k: int
) -> Found:
    """Put the hits of all `results` together, and decide whether another turn may bring more.

    Where one of the calls searched `own_query`, the user's own words, its ranking leads and the
    others fill reserved slots; else all rankings are fused. A chunk that answered an earlier part
    (`ToolCall.bridges`) has the place of that part's best hit. What a model's own calls found
    beside the reserved slots stands behind all of it.
    """
    hits = _together(results, own_query, rrf_k)
    stats = FilterStats.total([result.stats for result in results if result.searched])
    latest = {call.index for call in plan.calls}
    before = {h.chunk.chunk_id for r in results if r.call.index not in latest for h in r.hits}
    now = {h.chunk.chunk_id for r in results if r.call.index in latest for h in r.hits}
    told = any(_tells(result) for result in results if result.call.index in latest)
    if plan.stop:
        return Found(hits, stats, "stop", plan.stop)
    if plan.author == "planner":
        waits = plan.waiting and plan.turn < max_turns
        return Found(hits, stats, *(("again", "waiting") if waits else ("stop", "planned")))
    if not plan.calls:
        return Found(hits, stats, "stop", "model_done")
    fresh = not now <= before
    if not fresh and not told:
        return Found(hits, stats, "stop", "no_new_evidence")
    if plan.turn >= max_turns:
        return Found(hits, stats, "stop", "max_turns")
    return Found(hits, stats, "again", "new_evidence" if fresh else "told")


def _tells(result: CallResult) -> bool:
    """Return whether the model learns something from a result beside new hits."""
    read = bool(result.hits) and not result.searched
    return result.call.repeats is None and (bool(result.told) or read)


def _together(results: Sequence[CallResult], own_query: str, rrf_k: int) -> tuple[Hit, ...]:
    """Return the hits of all results in one ranking."""
    ranked = [result for result in results if result.hits]
    bridges = frozenset(one for result in results for one in result.call.bridges)
    own = next((r for r in ranked if own_query and r.call.query == own_query), None)
    if own is None:
        hits = fuse_hits([result.hits for result in ranked], rrf_k=rrf_k)
    else:
        others = [result for result in ranked if result is not own]
        hits = _led_by(own, others, bridges)
    return raised(hits, bridges, slot=PART_SLOT)


def _led_by(
    own: CallResult, others: Sequence[CallResult], bridges: Collection[str]
) -> tuple[Hit, ...]:
    """Return the hits of `own` with the best of the others in their reserved places."""
    hits = _without(own.hits, bridges) if others else own.hits
    for slot in sorted({result.call.slot for result in others} - {0}):
        now = [_first(r.hits, bridges) for r in others if r.call.slot == slot]
        alone = len(now) == 1 and slot != HOP_SLOT
        hits = reserve_slots(hits, now, slot=slot, each=2 if alone else 1)
    return put_last(hits, [r.hits for r in others if not r.call.slot or r.call.part < 0])


def _without(hits: Sequence[Hit], bridges: Collection[str]) -> tuple[Hit, ...]:
    """Return `hits` without the bridges behind the reserved place, which their parts bring."""
    return tuple(
        hit for at, hit in enumerate(hits) if at < PART_SLOT or hit.chunk.chunk_id not in bridges
    )


def _first(hits: Sequence[Hit], bridges: Collection[str]) -> tuple[Hit, ...]:
    """Return `hits` with the bridges in front."""
    return tuple(sorted(hits, key=lambda hit: hit.chunk.chunk_id not in bridges))
