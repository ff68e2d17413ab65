"""The tools as the search's own loop uses them: checked, and each call run as its step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from langchain_core.utils.function_calling import convert_to_openai_tool

from research_agent.context import RunContext
from research_agent.errors import ToolInputError
from research_agent.planning.tool_calls.ranking import TOOL
from research_agent.planning.tool_texts import discarded_note, unknown_ids
from research_agent.ports import ToolSpec
from research_agent.retrieval.step import ALONE, SearchBackground
from research_agent.types import TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.calls import CallResult, ChunksResult, ToolCall
from research_agent.types.scope import EVERYTHING, Scope

from .tool_inputs import INPUTS, GetChunksInput, SearchChunksInput, checked, told, valid
from .tools import GET_TOOL, ResearchTools, described, made_tool

REPEATED = "the same call as before: see its results above"
MORE = "more passages are referred to than are shown: read those you need by their keys"


@dataclass(frozen=True)
class Toolbox:
    """Three tools by name; implements the `Tools` of `plan_calls`."""

    run: RunContext

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """The tools' descriptions for a model; the documents are listed in the prompt."""
        return _specs(self.run.settings.search.max_chunks)

    @property
    def names(self) -> Sequence[str]:
        """What the tools are called."""
        return tuple(INPUTS)

    def check(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments that differ from the defaults; raises ToolInputError.

        A search for more than `max_chunks` is one for as many as that.
        """
        given = checked(name, arguments)
        asked = given.pop("max_chunks", None)
        if asked is None and arguments.get("max_chunks") is not None:
            asked = INPUTS[name].model_fields["max_chunks"].default
        smaller = isinstance(asked, int) and asked < self.run.settings.search.max_chunks
        return given | {"max_chunks": asked} if smaller else given


@lru_cache(maxsize=8)
def _specs(max_chunks: int) -> Sequence[ToolSpec]:
    tools = (made_tool(*of, body=_not_run) for of in described(max_chunks))
    return tuple(map(convert_to_openai_tool, tools))


def _not_run(**_: object) -> tuple[str, object]:
    return "", None


def run_call(
    call: ToolCall,
    share: Allowance,
    *,
    tools: ResearchTools,
    scope: Scope = EVERYTHING,
    about: SearchBackground = ALONE,
) -> tuple[CallResult, TraceEvent]:
    """Return what a call found in `scope`, within its `share` of the budget.

    A wrong call is answered with what is wrong, and one that was made before with a note that it
    was: neither runs a tool.
    """
    if call.problem:
        return CallResult(call, told=call.problem, searched=False), TraceEvent()
    if call.repeats is not None:
        return CallResult(call, told=REPEATED, searched=False), TraceEvent()
    try:
        most = tools.run.settings.search.max_chunks
        if call.name == TOOL:
            wanted = valid(SearchChunksInput, **{"max_chunks": most, **call.arguments})
            found = tools.found(wanted, share, within=scope, about=about)
            note = discarded_note(found.stats)
            return CallResult(call, found.hits, found.stats, note), found.event
        if call.name == GET_TOOL:
            asked = valid(GetChunksInput, **call.arguments)
            total = min(asked.max_total_chunks, len(asked.chunk_ids) + most)
            read = tools.read(asked.model_copy(update={"max_total_chunks": total}))
            return _read(call, read, scope)
    except ToolInputError as error:
        wrong = replace(call, problem=told(error))
        return CallResult(wrong, told=wrong.problem, searched=False), TraceEvent()
    listed = tools.documents()
    return CallResult(call, told=listed.outline, searched=False), listed.event


def _read(call: ToolCall, read: ChunksResult, scope: Scope) -> tuple[CallResult, TraceEvent]:
    """Return chunks as the loop keeps them; those outside of the scope are none."""
    within = tuple(hit for hit in read.hits if scope.admits(hit.chunk))
    told = filter(None, (unknown_ids(read.unknown), MORE if read.truncated else ""))
    return CallResult(call, within, told="\n".join(told), searched=False), read.event
