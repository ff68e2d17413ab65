"""The search: a graph of its own that the research graph runs as one node."""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Checkpointer, Send

from research_agent.context import RunContext
from research_agent.planning.tool_calls.ranking import collect
from research_agent.planning.tool_calls.step import Turn, plan_calls
from research_agent.ports import Clock, Ports
from research_agent.prompts import Prompts
from research_agent.retrieval.step import SearchBackground
from research_agent.settings import Settings
from research_agent.telemetry import span

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
from .tool_calls import Toolbox, run_call
from .tools import ResearchTools

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
    about = SearchBackground(
        question=state.question,
        known=state.known,
        instead=state.probe.hits,
        look_again=not state.by_model,
    )
    result, event = run_call(
        state.call, state.share, tools=ResearchTools(run), scope=state.scope, about=about
    )
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

    return Runs(run, arun, "search")
