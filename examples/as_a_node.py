"""The research graph as a node of another graph: a parent that asks and then counts citations."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from research_agent import ResearchAgent


class State(TypedDict, total=False):
    """What the parent graph holds."""

    question: str
    answer: str
    citations: int


def parent(agent: ResearchAgent) -> Any:  # noqa: ANN401 (LangGraph's compiled graph)
    """Return a graph with the agent as its one node."""

    def research(state: State) -> State:
        result = agent.ask(state["question"])
        return {"answer": result.answer, "citations": len(result.citations)}

    graph = StateGraph(State)
    graph.add_node("research", research)
    graph.add_edge(START, "research")
    graph.add_edge("research", END)
    return graph.compile()


if __name__ == "__main__":
    with ResearchAgent.open() as opened:
        print(parent(opened).invoke({"question": "How is retrieval confidence computed?"}))
