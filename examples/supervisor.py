"""A supervisor with two research agents as its sub-agents, within one budget.

Its state has nothing in common with theirs. It asks the first one; the second one is asked, within
what is left, where the first one's documents do not have the answer.
"""

import sys
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from research_agent import Limits, ResearchAgent, ResearchResult

BUDGET = Limits(seconds=300.0, llm_calls=20)


class State(TypedDict, total=False):
    """What the supervisor knows."""

    task: str
    left: Limits
    results: dict[str, ResearchResult]
    answer: str


def supervisor(agents: dict[str, ResearchAgent], budget: Limits = BUDGET) -> Any:  # noqa: ANN401 (LangGraph's compiled graph)
    """Return a graph that asks `agents` in their order until one of them knows the answer."""

    def delegate(state: State) -> State:
        results, left = state.get("results", {}), state.get("left", budget)
        name = next(name for name in agents if name not in results)
        result = agents[name].ask(state["task"], limits=left)
        return {"results": {**results, name: result}, "left": left.after(result.usage)}

    def after(state: State) -> Literal["delegate", "conclude"]:
        results = state["results"]
        known = any(result.supported for result in results.values())
        return "conclude" if known or len(results) == len(agents) else "delegate"

    def conclude(state: State) -> State:
        known = ((n, r) for n, r in state["results"].items() if r.supported)
        name, result = next(known, ("nobody", None))
        return {"answer": f"{name}: {result.answer}" if result else "nobody knows"}

    graph = StateGraph(State)
    graph.add_node("delegate", delegate)
    graph.add_node("conclude", conclude)
    graph.add_edge(START, "delegate")
    graph.add_conditional_edges("delegate", after)
    graph.add_edge("conclude", END)
    return graph.compile(name="supervisor")


def main(task: str, first: str, second: str) -> None:
    """Ask two indexes, each made with `research-agent index PATH --index NAME`."""
    with ResearchAgent.open(first) as one, ResearchAgent.open(second) as other:
        graph = supervisor({first: one, second: other})
        print(watched(graph, task)["answer"])


def watched(graph: Any, task: str) -> Any:  # noqa: ANN401 (LangGraph's compiled graph and state)
    """Return what the supervisor concludes; on the way, tell what its sub-agents do."""
    done: Any = {}
    modes = ["custom", "values"]
    for place, mode, told in graph.stream({"task": task}, stream_mode=modes, subgraphs=True):
        if mode == "custom" and told["event"] == "step_finished" and told["summary"]:
            print(f"{told['step']}: {told['summary']}", file=sys.stderr)
        elif mode == "values" and not place:
            done = told
    return done


if __name__ == "__main__":
    if len(sys.argv) != 4:  # noqa: PLR2004 (with its own name)
        sys.exit("usage: supervisor.py TASK FIRST_INDEX SECOND_INDEX")
    main(*sys.argv[1:])
