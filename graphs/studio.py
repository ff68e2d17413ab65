"""Factories for LangGraph Studio; `langgraph.json` names them."""

import atexit
import os
from functools import lru_cache
from threading import Lock

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from graphs.research import build_research_graph
from graphs.state import ResearchInput, ResearchOutput, ResearchState
from research_agent.assembly.connection import connect
from research_agent.config import config_file, load_prompts, load_settings

Research = CompiledStateGraph[ResearchState, None, ResearchInput, ResearchOutput]
_ONE_AT_A_TIME = Lock()


def research(config: RunnableConfig) -> Research:
    """Return the research graph over the index that `configurable.index` names.

    The server asks for it at every run, so it is built once for each index, and closed with the
    process. The server brings its own checkpointer.
    """
    with _ONE_AT_A_TIME:
        return _research(str(config.get("configurable", {}).get("index", "default")))


@lru_cache(maxsize=8)
def _research(index: str) -> Research:
    settings = load_settings(config_file(None, os.environ), os.environ)
    connection = connect(index, settings, os.environ)
    atexit.register(connection.close)
    return build_research_graph(connection.ports, connection.settings, load_prompts())
