"""An agent that reasons and acts, with research among its tools, within one budget.

What is left of the budget is part of the state; calls of one turn spend it one after the other.
Any model that calls tools will do; this one is named by OPENAI_API_KEY and OPENAI_BASE_URL.
"""

import sys
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Checkpointer

from research_agent import Limits, ResearchAgent


class State(MessagesState, total=False):
    """The messages, and what is left of the budget once a tool was called."""

    left: Limits


def react(
    model: BaseChatModel, agent: ResearchAgent, limits: Limits, checkpointer: Checkpointer = None
) -> Any:  # noqa: ANN401 (LangGraph's compiled graph)
    """Return a graph in which `model` calls `research_tool` while `limits` last, and answers."""
    acting = model.bind_tools([agent.as_tool()])

    def think(state: State) -> dict[str, Any]:
        return {"messages": [acting.invoke(state["messages"])]}

    def act(state: State) -> dict[str, Any]:
        left, told = state.get("left", limits), []
        for call in state["messages"][-1].tool_calls:
            (message,) = ToolNode([agent.as_tool(left)]).invoke([call])["messages"]
            left = left.after(message.artifact.usage) if message.artifact else left
            told.append(message)
        return {"messages": told, "left": left}

    graph = StateGraph(State)
    graph.add_node("think", think)
    graph.add_node("tools", act)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    return graph.compile(name="react", checkpointer=checkpointer)


def main(task: str, model: str = "gpt-4o-mini") -> None:
    """Print every message of one run."""
    from langchain_openai import ChatOpenAI

    with ResearchAgent.open() as agent:
        graph = react(ChatOpenAI(model=model), agent, Limits(seconds=120.0))
        for message in graph.invoke({"messages": [("user", task)]})["messages"]:
            message.pretty_print()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: react_agent.py TASK [MODEL]")
    main(*sys.argv[1:])
