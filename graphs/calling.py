"""The tools as the search's own loop uses them: checked, run, and their results read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from research_agent.core.budget import Allowance
from research_agent.core.calls import CallResult, SearchResult, ToolCall
from research_agent.core.scope import EVERYTHING, Scope
from research_agent.core.tool_results import ChunksResult, unknown_ids
from research_agent.core.types import Probe, TraceEvent
from research_agent.ports import ToolSpec
from research_agent.steps.plan_calls import TOOL

from .context import adjusted
from .tool_inputs import INPUTS, checked
from .tools import ResearchTools

REPEATED = "the same call as before: see its results above"


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Three tools by name; implements the `Tools` of `plan_calls`."""

    tools: Mapping[str, BaseTool]
    specs: tuple[ToolSpec, ...]
    max_chunks: int
    """What a search returns at most, whatever its caller asks for."""
    made_of: ResearchTools

    def under(self, context: object, unreadable: int = 0) -> "Toolbox":
        """Return the tools as one run wants them; the same where it wants nothing else."""
        settings = adjusted(self.made_of.settings, context, unreadable)
        if settings is self.made_of.settings:
            return self
        most = settings.search.max_chunks
        return toolbox(replace(self.made_of, settings=settings, max_chunks=most))

    @property
    def names(self) -> Sequence[str]:
        """What the tools are called."""
        return tuple(self.tools)

    def check(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments that differ from the defaults; raises ToolInputError.

        A search for more than `max_chunks` is one for as many as that.
        """
        given = checked(name, arguments)
        asked = given.pop("max_chunks", None)
        if asked is None and arguments.get("max_chunks") is not None:
            asked = INPUTS[name].model_fields["max_chunks"].default
        smaller = isinstance(asked, int) and asked < self.max_chunks
        return given | {"max_chunks": asked} if smaller else given


def toolbox(tools: ResearchTools) -> Toolbox:
    """Return the tools for our own loop, which tells the model of the documents elsewhere."""
    built = tools.tools(outline=False)
    specs = tuple(convert_to_openai_tool(tool) for tool in built)
    return Toolbox({tool.name: tool for tool in built}, specs, tools.max_chunks, tools)


def run_call(
    call: ToolCall, probe: Probe, share: Allowance, *, tools: Toolbox, scope: Scope = EVERYTHING
) -> tuple[CallResult, TraceEvent]:
    """Return what a call found in `scope`, within its `share` of the budget.

    A wrong call is answered with what is wrong, and one that was made before with a note that it
    was: neither runs a tool.
    """
    if call.problem:
        return CallResult(call, told=call.problem, searched=False), TraceEvent()
    if call.repeats is not None:
        return CallResult(call, told=REPEATED, searched=False), TraceEvent()
    arguments: dict[str, Any] = dict(call.arguments)
    if call.name == TOOL:
        arguments |= {"probe": probe, "allowance": share, "within": scope}
    message = tools.tools[call.name].invoke(
        {"type": "tool_call", "id": f"call-{call.index}", "name": call.name, "args": arguments}
    )
    return _read(call, message, scope)


def _read(call: ToolCall, message: ToolMessage, scope: Scope) -> tuple[CallResult, TraceEvent]:
    """Return what a tool answered as the loop keeps it."""
    match message.artifact:
        case SearchResult() as found:
            return CallResult(call, found.hits, found.stats), found.event
        case ChunksResult() as read:
            told = unknown_ids(read.unknown)
            within = tuple(hit for hit in read.hits if scope.admits(hit.chunk))
            return CallResult(call, within, told=told, searched=False), read.event
    refused = message.status == "error"
    problem = replace(call, problem=message.text) if refused else call
    event = TraceEvent() if refused else message.artifact.event
    return CallResult(problem, told=message.text, searched=False), event
