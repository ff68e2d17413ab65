"""The tool calls of one search: who writes them, how they are read, when there are enough.

A call's `index` counts through the whole search, so results have one order whichever of
several parallel calls comes back first.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from research_agent.core.budget import Allowance, BudgetStop
from research_agent.core.filtering import FilterStats
from research_agent.core.fusion import fuse_hits, reserve_slots
from research_agent.core.types import Completion, Hit, TraceEvent, WrittenCall

SearchStop = Literal["planned", "no_new_evidence", "max_turns", "model_done", "error", BudgetStop]
NOTHING = Allowance(0, 0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, ready to run."""

    index: int
    name: str
    query: str


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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found and kept, and what that cost."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    event: TraceEvent = field(default_factory=TraceEvent)


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call found."""

    call: ToolCall
    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)


@dataclass(frozen=True, slots=True)
class Found:
    """Everything the search has found so far, and whether to go on."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    decision: Literal["again", "stop"] = "stop"
    reason: SearchStop | Literal["new_evidence", ""] = ""


def planned_calls(tool: str, queries: Sequence[str]) -> tuple[ToolCall, ...]:
    """Return one call a different query: the planner for models that write no tool calls.

    >>> [call.query for call in planned_calls("search_chunks", ["a", "b", "a"])]
    ['a', 'b']
    """
    return tuple(ToolCall(i, tool, query) for i, query in enumerate(dict.fromkeys(queries)))


def read_calls(completion: Completion, tool: str, *, first: int) -> tuple[ToolCall, ...]:
    """Return the calls of `tool` in a reply: its tool calls, else one JSON object in its text.

    Calls of other tools, and arguments without a query, are left out. Not covered: several
    objects in one text.
    """
    written = completion.tool_calls or (_call_in_text(completion.text),)
    queries = [_query(call.arguments) for call in written if call.name == tool]
    return tuple(ToolCall(first + i, tool, query) for i, query in enumerate(filter(None, queries)))


def affordable(plan: CallPlan, allowance: Allowance) -> CallPlan:
    """Return `plan` with the calls that fit into `allowance`, and the share of each.

    >>> plan = affordable(CallPlan(calls=planned_calls("t", "ab")), Allowance(4, 1, 900, 30.0))
    >>> len(plan.calls), plan.stop, plan.share.llm_calls
    (1, 'budget_tool_calls', 4)
    """
    calls = plan.calls[: allowance.tool_calls]
    stop = plan.stop if calls == plan.calls else "budget_tool_calls"
    return replace(plan, calls=calls, share=allowance.share(len(calls) or 1), stop=stop)


def collect(
    results: Sequence[CallResult], plan: CallPlan, *, own_query: str, max_turns: int, rrf_k: int
) -> Found:
    """Put the hits of all `results` together, and decide whether another turn may bring more.

    Where one of the calls searched `own_query`, the user's own words, its ranking leads and the
    others fill reserved slots; else all rankings are fused.
    """
    hits = _together(results, own_query, rrf_k)
    stats = FilterStats.total([result.stats for result in results])
    latest = {call.index for call in plan.calls}
    before = {h.chunk.chunk_id for r in results if r.call.index not in latest for h in r.hits}
    now = {h.chunk.chunk_id for r in results if r.call.index in latest for h in r.hits}
    if plan.stop:
        return Found(hits, stats, "stop", plan.stop)
    if plan.author == "planner":
        return Found(hits, stats, "stop", "planned")
    if not plan.calls:
        return Found(hits, stats, "stop", "model_done")
    if now <= before:
        return Found(hits, stats, "stop", "no_new_evidence")
    if plan.turn >= max_turns:
        return Found(hits, stats, "stop", "max_turns")
    return Found(hits, stats, "again", "new_evidence")


def _together(results: Sequence[CallResult], own_query: str, rrf_k: int) -> tuple[Hit, ...]:
    own = next((r for r in results if r.call.query == own_query), None)
    if own is None:
        return fuse_hits([result.hits for result in results], rrf_k=rrf_k)
    others = [result.hits for result in results if result is not own]
    return reserve_slots(own.hits, others, slot=3, each=2 if len(others) == 1 else 1)


def _call_in_text(text: str) -> WrittenCall:
    """Read the outermost JSON object in `text` as a call; a nameless one where there is none."""
    value = _object(text[text.find("{") : text.rfind("}") + 1])
    arguments = value.get("arguments", value.get("parameters"))
    return WrittenCall(str(value.get("name", "")), json.dumps(arguments))


def _query(arguments: str) -> str:
    """Return the query in a call's `arguments`, empty where there is none."""
    query = _object(arguments).get("query")
    return query.strip() if isinstance(query, str) else ""


def _object(text: str) -> dict[str, object]:
    """Return the JSON object that `text` is, an empty one where it is none."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
