"""The research graph: the whole control flow on one screen."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer, Overwrite

from research_agent.context import RunContext
from research_agent.ports import Ports
from research_agent.presets import NAMES as PRESETS
from research_agent.presets import with_preset
from research_agent.prompts import Prompts
from research_agent.settings import Settings

from . import nodes
from .context import ResearchContext
from .node_wrapper import Node, bind, own_threads
from .search import build_search_graph, searching
from .state import ResearchInput, ResearchOutput, ResearchState, as_values, defaults, whole_input

ResearchGraph = CompiledStateGraph[ResearchState, ResearchContext, ResearchInput, ResearchOutput]


def steps() -> Mapping[str, Node]:
    """Return the nodes by name, but for the search, which is a graph of its own."""
    return {
        "retrieve": nodes.retrieve_node,
        "assess": nodes.assess_node,
        "refine": nodes.refine_node,
        "select_evidence": nodes.select_evidence_node,
        "answer": nodes.answer_node,
        "verify": nodes.verify_node,
        "report": nodes.report_node,
    }


@lru_cache(maxsize=8)
def recursion_limit(settings: Settings) -> int:
    """Return LangGraph's recursion limit: an upper bound on supersteps within any budget.

    That is seven steps a round, or three a turn of the search, which inherits the limit.
    """
    every = [settings, *(with_preset(settings, name) for name in PRESETS)]
    rounds = max(one.budget.max_rounds for one in every)
    turns = max(one.search.max_turns for one in every)
    return 1 + max(7 * (rounds + 1), 3 * (turns + 1))


def after_retrieve(state: ResearchState) -> Literal["assess", "verify"]:
    """Without a search there is nothing to answer from: verify ends with what there is."""
    return "verify" if state.probe.failed else "assess"


def after_refine(state: ResearchState) -> Literal["search", "verify"]:
    """With nothing else to search for, verify ends with what there is."""
    return "verify" if state.refinement.exhausted else "search"


def after_verify(state: ResearchState) -> Literal["retrieve", "select_evidence", "report"]:
    """Only verify leads back: to another round, or to what was left out of the evidence."""
    if state.check.decision == "stop":
        return "report"
    return "select_evidence" if state.check.reason == "pruned" else "retrieve"


def build_research_graph(
    ports: Ports,
    settings: Settings,
    prompts: Prompts,
    *,
    checkpointer: Checkpointer = None,
    context_schema: type[ResearchContext] = ResearchContext,
    on_threads: bool = False,
) -> ResearchGraph:
    """Wire the steps into a graph that runs on `ports`.

    Each question on a thread begins with an empty state. With `on_threads` all of it is shown.
    """
    shown: type[Any] = ResearchState if on_threads else ResearchOutput
    graph = StateGraph(
        ResearchState,
        context_schema=context_schema,
        input_schema=ResearchInput,
        output_schema=shown,
    )

    run, threads = RunContext(ports, settings, prompts), own_threads(settings)
    resumes = checkpointer is not False
    values = as_values(ResearchState)
    for name, node in steps().items():
        made = bind(name, node, ResearchState, run, threads, resumes=resumes)
        graph.add_node(name, made, input_schema=values)
    kept = None if resumes else False
    search = build_search_graph(ports, settings, prompts, threads=threads, checkpointer=kept)
    looked = searching(search, ports.clock, resumes=resumes)
    graph.add_node("search", looked, input_schema=values)
    if resumes:
        graph.add_node("begin", begin, input_schema=values)
        graph.add_edge("begin", "retrieve")
    graph.add_edge(START, "begin" if resumes else "retrieve")
    graph.add_conditional_edges("retrieve", after_retrieve)
    graph.add_edge("assess", "refine")
    graph.add_conditional_edges("refine", after_refine)
    graph.add_edge("search", "select_evidence")
    graph.add_edge("select_evidence", "answer")
    graph.add_edge("answer", "verify")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("report", END)
    compiled = graph.compile(checkpointer=checkpointer, name="research")
    if resumes:
        compiled.nodes[START].mapper = whole_input(ResearchInput)
    return compiled.with_config(recursion_limit=recursion_limit(settings))


def begin(state: object) -> dict[str, object]:  # noqa: ARG001 (what a node is called with)
    """Return every field that no caller gives, empty; the fields of the input stay as given."""
    working = defaults(ResearchState)
    own = {name: working[name] for name in working.keys() - ResearchInput.model_fields.keys()}
    return {**own, "trace": Overwrite([])}
