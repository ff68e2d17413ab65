"""The search: a graph of its own that the research graph runs as one node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Checkpointer, Send

from research_agent.context import RunContext
from research_agent.errors import ToolInputError
from research_agent.planning.tool_calls.ranking import TOOL, collect
from research_agent.planning.tool_calls.step import Turn, plan_calls
from research_agent.planning.tool_texts import discarded_note, unknown_ids
from research_agent.ports import Clock, Ports, ToolSpec
from research_agent.prompts import Prompts
from research_agent.retrieval.step import ANYTHING, SearchRequest
from research_agent.settings import Settings
from research_agent.telemetry import span
from research_agent.types import TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.calls import CallResult, ChunksResult, ToolCall
from research_agent.types.scope import Scope

from .context import ResearchContext
from .node_wrapper import (
    EventWriter,
    Node,
    Runs,
    Threads,
    bind,
    event_writer,
    own_threads,
    read_state,
    step_events,
    writing_for_search,
)
from .state import (
    CallInput,
    ResearchState,
    SearchInput,
    SearchOutput,
    SearchState,
    SearchUpdate,
    State,
)
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
    about: SearchRequest = ANYTHING,
) -> tuple[CallResult, TraceEvent]:
    """Return what a call found, within its `share` of the budget.

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
            found = tools.found(wanted, share, about)
            note = discarded_note(found.stats)
            return CallResult(call, found.hits, found.stats, note), found.event
        if call.name == GET_TOOL:
            asked = valid(GetChunksInput, **call.arguments)
            total = min(asked.max_total_chunks, len(asked.chunk_ids) + most)
            read = tools.read(asked.model_copy(update={"max_total_chunks": total}))
            return _read(call, read, about.within)
    except ToolInputError as error:
        wrong = replace(call, problem=told(error))
        return CallResult(wrong, told=wrong.problem, searched=False), TraceEvent()
    listed = tools.documents()
    return CallResult(call, told=listed.outline, searched=False), listed.event


def _read(call: ToolCall, read: ChunksResult, scope: Scope) -> tuple[CallResult, TraceEvent]:
    """Return chunks as the loop keeps them; those outside of the scope are none."""
    within = tuple(hit for hit in read.hits if scope.admits(hit.chunk))
    lines = filter(None, (unknown_ids(read.unknown), MORE if read.truncated else ""))
    return CallResult(call, within, told="\n".join(lines), searched=False), read.event


SearchGraph = CompiledStateGraph[SearchState, ResearchContext, SearchInput, SearchOutput]


def plan_calls_node(state: SearchState, run: RunContext) -> SearchUpdate:
    turn = Turn(
        question=state.question,
        refinement=state.refinement,
        number=state.plan.turn + 1,
        results=state.results,
        probed=state.probe.hits,
        evidence=state.evidence,
        missing=state.missing,
    )
    planned = plan_calls(turn, Toolbox(run), context=run.keeping_answer_reserve(state.trace))
    return {"plan": planned.value, "trace": [planned.event]}


def run_call_node(state: CallInput, run: RunContext) -> SearchUpdate:
    about = SearchRequest(
        within=state.scope,
        question=state.question,
        known=state.known,
        instead=state.probe.hits,
        look_again=not state.by_model,
    )
    result, event = run_call(state.call, state.share, tools=ResearchTools(run), about=about)
    return {"results": [result], "trace": [event]}


def collect_node(state: SearchState, run: RunContext) -> SearchUpdate:
    found = collect(
        state.results,
        state.plan,
        own_query=state.probe.query,
        max_turns=run.settings.search.max_turns,
        rrf_k=run.settings.retrieval.rrf_k,
    )
    return {"found": found}


def after_plan(state: SearchState) -> list[Send] | Literal["collect"]:
    """Send every call of the plan at once; without one, collect."""
    return [Send("run_call", state.sent(call)) for call in state.plan.calls] or "collect"


def after_collect(state: SearchState) -> Literal["plan_calls", "end"]:
    """Follow what collect has decided."""
    return "plan_calls" if state.found.decision == "again" else "end"


def build_search_graph(
    ports: Ports,
    settings: Settings,
    prompts: Prompts,
    *,
    threads: Threads | None = None,
    checkpointer: Checkpointer = None,
) -> SearchGraph:
    """Wire plan_calls, run_call and collect into a loop; a node of its own graph on `threads`."""
    places = threads or own_threads(settings)
    run = RunContext(ports, settings, prompts)
    resumes = checkpointer is not False
    graph = StateGraph(
        SearchState,
        context_schema=ResearchContext,
        input_schema=SearchInput,
        output_schema=SearchOutput,
    )

    def add(name: str, node: Node, reads: type[State]) -> None:
        graph.add_node(name, bind(name, node, reads, run, places, resumes=resumes))

    add("plan_calls", plan_calls_node, SearchState)
    add("run_call", run_call_node, CallInput)
    add("collect", collect_node, SearchState)
    graph.add_edge(START, "plan_calls")
    graph.add_conditional_edges("plan_calls", after_plan, ["run_call", "collect"])
    graph.add_edge("run_call", "collect")
    graph.add_conditional_edges("collect", after_collect, {"plan_calls": "plan_calls", "end": END})
    return graph.compile(checkpointer=checkpointer, name="search")


def searching(search: SearchGraph, clock: Clock, *, resumes: bool) -> Runs:
    """Return the search as a node of the research graph; its nodes tell their events with it."""

    def begun(state: object) -> tuple[Any, EventWriter | None]:
        read = read_state(state, ResearchState, resumes=resumes)
        writer = get_runtime(ResearchContext).stream_writer
        return read, event_writer(writer, read, clock, clock.seconds())

    def run(state: object) -> Any:  # noqa: ANN401 (LangGraph's type of what a graph returns)
        read, tells = begun(state)
        with span("node search"), step_events(tells, "search") as tell, writing_for_search(tells):
            tell(found := search.invoke(read))
        return found

    async def arun(state: object) -> Any:  # noqa: ANN401 (LangGraph's type of what a graph returns)
        read, tells = begun(state)
        with span("node search"), step_events(tells, "search") as tell, writing_for_search(tells):
            tell(found := await search.ainvoke(read))
        return found

    return Runs(run, arun, "search", [search])
