"""Factories for LangGraph Studio; `langgraph.json` names them."""

import atexit
import os

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from graphs.research import build_research_graph
from graphs.state import ResearchInput, ResearchOutput, ResearchState
from research_agent.assembly.connection import connect
from research_agent.config import config_file, load_prompts, load_settings


def research(
    config: RunnableConfig,
) -> CompiledStateGraph[ResearchState, None, ResearchInput, ResearchOutput]:
    """Return the research graph over the index that `configurable.index` names.

    The server brings its own checkpointer. What the graph runs on is closed with the process.
    """
    index = str(config.get("configurable", {}).get("index", "default"))
    settings = load_settings(config_file(None, os.environ), os.environ)
    connection = connect(index, settings, os.environ)
    atexit.register(connection.close)
    return build_research_graph(connection.ports, settings, load_prompts())
