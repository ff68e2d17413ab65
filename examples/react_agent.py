"""An agent that reasons and acts, with research among its tools, within one budget.

What earlier calls of a run have spent stands in their messages, with the rest of their results.
Any model that calls tools will do; this one is named by OPENAI_API_KEY and OPENAI_BASE_URL.
"""

import sys
from functools import reduce
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from research_agent import Limits, ResearchAgent


def react(model: BaseChatModel, agent: ResearchAgent, limits: Limits) -> Any:  # noqa: ANN401 (LangGraph's compiled graph)
    """Return a graph in which `model` calls `research_tool` while `limits` last, and answers."""
    acting = model.bind_tools([agent.research_tool()])

    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [acting.invoke(state["messages"])]}

    def act(state: MessagesState) -> Any:  # noqa: ANN401 (what LangGraph's ToolNode returns)
        told = (message for message in state["messages"] if isinstance(message, ToolMessage))
        spent = (message.artifact.usage for message in told if message.artifact)
        left = reduce(Limits.after, spent, limits)
        return ToolNode([agent.research_tool(lambda: left)]).invoke(state)

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", act)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    return graph.compile(name="react")


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
