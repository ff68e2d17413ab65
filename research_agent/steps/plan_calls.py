"""Plan calls: the next tool calls of the search, written by a model or by the pure planner."""

from collections.abc import Sequence
from typing import Literal

from research_agent.core.budget import BUDGET_STOPS, Allowance
from research_agent.core.calls import CallPlan, CallResult, affordable, planned_calls, read_calls
from research_agent.core.evidence import fenced
from research_agent.core.refinement import Refinement
from research_agent.core.types import Message, Outcome, TraceEvent
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports, ToolSpec
from research_agent.prompts import PromptTemplate

TOOL = "search_chunks_tool"
MAX_TOKENS = 200
LEAST_TOKENS = 60
"""Calls that may not be this long would be cut in the middle; they are not asked for."""


def plan_calls(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    refinement: Refinement,
    results: Sequence[CallResult],
    turn: int,
    *,
    mode: Literal["planned", "tool_calling"],
    allowance: Allowance,
    ports: Ports,
    prompt: PromptTemplate,
    tools: Sequence[ToolSpec],
) -> Outcome[CallPlan]:
    """Return the calls of the turn after `turn`, as many as `allowance` has, with their shares.

    A model that fails or writes no call in its first turn is replaced by the planner, and the
    trace says so: a search without any call would find nothing. In a later turn its failure ends
    the search with what was found.
    """
    if not allowance.tool_calls:
        note = "plan_calls: budget.tool_calls is spent; the search ended"
        ended = CallPlan(turn + 1, stop="budget_tool_calls")
        return Outcome(ended, TraceEvent(notes=(note,)))
    plan = CallPlan(turn + 1, "planner", planned_calls(TOOL, refinement.queries))
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    notes: tuple[str, ...] = ()
    if mode == "tool_calling":
        text = prompt.render(
            question=question,
            queries=" | ".join(refinement.queries),
            results="\n".join(_line(result) for result in results) or "nothing yet",
        )
        plan, notes = _by_model(plan, Message("user", text), len(results), meter, ports, tools)
    cut = affordable(plan, meter.left())
    if cut.calls != plan.calls:
        few = f"{len(cut.calls)} of {len(plan.calls)}"
        notes = (*notes, f"plan_calls: budget.tool_calls pays {few} searches")
    return Outcome(cut, TraceEvent(meter.calls, notes))


def _by_model(
    planned: CallPlan,
    message: Message,
    first: int,
    meter: Meter,
    ports: Ports,
    tools: Sequence[ToolSpec],
) -> tuple[CallPlan, tuple[str, ...]]:
    """Return the calls that the model writes; what was `planned` where it writes none at first."""
    try:
        reply = meter.ask(
            ports.planner,
            "planner",
            [message],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            tools=tools,
        )
    except (ModelError, BudgetError) as error:
        stop = BUDGET_STOPS[error.which] if isinstance(error, BudgetError) else "error"
        if first:
            ended = CallPlan(planned.turn, "model", stop=stop)
            return ended, (f"plan_calls: {error}; the search ended",)
        return planned, (f"plan_calls: {error}; the planner wrote the calls",)
    calls = read_calls(reply, TOOL, first=first)
    if not calls and not first:
        return planned, ("plan_calls: the model wrote no call, the planner did",)
    return CallPlan(planned.turn, "model", calls), ()


def _line(result: CallResult) -> str:
    found = "; ".join(" ".join(hit.chunk.text.split())[:80] for hit in result.hits[:3])
    return f"<results query={result.call.query!r}>{fenced(found) or 'nothing'}</results>"
