"""Plan calls: the next tool calls of the search, written by a model or by the pure planner."""

from collections.abc import Sequence
from typing import Literal

from research_agent.core.calls import CallPlan, CallResult, planned_calls, read_calls
from research_agent.core.evidence import fenced
from research_agent.core.refinement import Refinement
from research_agent.core.types import Message, Outcome, TraceEvent
from research_agent.ports import ChatModel, ToolSpec
from research_agent.prompts import PromptTemplate

TOOL = "search_chunks_tool"


def plan_calls(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    refinement: Refinement,
    results: Sequence[CallResult],
    turn: int,
    *,
    mode: Literal["planned", "tool_calling"],
    planner: ChatModel,
    prompt: PromptTemplate,
    tools: Sequence[ToolSpec],
) -> Outcome[CallPlan]:
    """Return the calls of the turn after `turn`.

    A model that writes no call in its first turn is replaced by the planner, and the trace
    says so: a search without any call would find nothing.
    """
    planned = CallPlan(turn + 1, "planner", planned_calls(TOOL, refinement.queries))
    if mode == "planned":
        return Outcome(planned)
    text = prompt.render(
        question=question,
        queries=" | ".join(refinement.queries),
        results="\n".join(_line(result) for result in results) or "nothing yet",
    )
    reply = planner.complete("planner", [Message("user", text)], max_tokens=200, tools=tools)
    calls = read_calls(reply, TOOL, first=len(results))
    if not calls and not results:
        notes = ("plan_calls: the model wrote no call, the planner did",)
        return Outcome(planned, TraceEvent((reply.cost,), notes))
    return Outcome(CallPlan(turn + 1, "model", calls), TraceEvent((reply.cost,)))


def _line(result: CallResult) -> str:
    found = "; ".join(" ".join(hit.chunk.text.split())[:80] for hit in result.hits[:3])
    return f"<results query={result.call.query!r}>{fenced(found) or 'nothing'}</results>"
