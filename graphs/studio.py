"""Factories for LangGraph Studio; `langgraph.json` names them.

The server asks for a graph at every run, and also where it only wants to know its shape. Graphs
are built once for each choice of index and models, and closed with the process. The server brings
its own checkpointer. It calls a factory on its event loop, so files are opened on a thread.
"""

import atexit
import os
import sys
from asyncio import to_thread
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import ConfigDict, Field

from graphs.chat import Chat, build_chat_graph
from graphs.context import ResearchContext
from graphs.indexing import IndexGraph, build_index_graph, roots_of
from graphs.research import ResearchGraph, build_research_graph
from research_agent.assembly.connection import Connection, connect
from research_agent.config import configured, load_prompts
from research_agent.errors import ResearchAgentError
from research_agent.model_settings import Provider
from research_agent.ports import Ports
from research_agent.settings import Settings

KEYS = {
    "chat_provider": "RESEARCH_AGENT_MODELS__CHAT__PROVIDER",
    "chat_model": "RESEARCH_AGENT_MODELS__CHAT__MODEL",
}
"""The settings that the form changes, as variables of the environment."""


class StudioContext(ResearchContext):
    """One run in Studio; what is left empty stays as it is configured."""

    model_config = ConfigDict(extra="ignore", frozen=True)  # (the server adds names of its own)

    index: str = Field(
        "default",
        min_length=1,
        max_length=500,
        description="Which index: a name, or a folder (with a slash in it).",
    )
    chat_provider: Provider | None = Field(
        None, description="Whose model writes and decides. Empty: as configured."
    )
    chat_model: str | None = Field(
        None, max_length=200, description="That model's name. Empty: as configured."
    )

    @property
    def choice(self) -> "Choice":
        """What a graph is built for: the index, and what differs from the environment."""
        given = ((key, getattr(self, name)) for name, key in KEYS.items())
        return self.index, tuple((key, str(value)) for key, value in given if value)


def of_config(config: Mapping[str, Any]) -> StudioContext:
    """Return what a factory is given; raises pydantic's ValidationError."""
    configurable = config.get("configurable") or {}
    known = {key: configurable[key] for key in StudioContext.model_fields if key in configurable}
    return StudioContext.model_validate(known)


Choice = tuple[str, tuple[tuple[str, str], ...]]
_ONE_AT_A_TIME = Lock()
if "LANGSMITH_LANGGRAPH_API_VARIANT" in os.environ and not os.environ.get("LANGGRAPH_AUTH"):
    warned = "warning: whoever reaches this server may use it; docs/studio.md has its http and auth"
    print(warned, file=sys.stderr, flush=True)  # noqa: T201 (it is for whoever started the server)


@dataclass(frozen=True, slots=True)
class Doors:
    """The graphs of one choice."""

    research: ResearchGraph
    chat: Chat


async def research(config: RunnableConfig) -> ResearchGraph:
    """Return the research graph over the index that `configurable.index` names."""
    return (await to_thread(_doors, config)).research


async def chat(config: RunnableConfig) -> Chat:
    """Return the conversation over that index; it may ask back."""
    return (await to_thread(_doors, config)).chat


async def index(_: RunnableConfig) -> IndexGraph:
    """Return the graph that indexes files."""
    return await to_thread(_indexing)


def _indexing() -> IndexGraph:
    settings = configured(None, os.environ).settings
    return build_index_graph(settings, os.environ, roots=roots_of(os.environ))


def _doors(config: RunnableConfig) -> Doors:
    """Return the graphs for a choice; where its index cannot be opened, their shape alone."""
    choice = of_config(config).choice
    with _ONE_AT_A_TIME:
        try:
            return _opened(choice)
        except ResearchAgentError as error:
            return _shapes(error)


@lru_cache(maxsize=8)
def _opened(choice: Choice) -> Doors:
    location, changes = choice
    environment = {**os.environ, **dict(changes)}
    settings = configured(None, environment).settings
    connection: Connection = connect(location, settings, environment)
    atexit.register(connection.close)
    return _built(connection.ports, connection.settings)


def _shapes(error: ResearchAgentError) -> Doors:
    ports = dict.fromkeys(Ports.__dataclass_fields__, _Closed(error))
    return _built(Ports(**ports), Settings())  # type: ignore[arg-type]  # (nothing of it works)


def _built(ports: Ports, settings: Settings) -> Doors:
    prompts = load_prompts()
    return Doors(
        build_research_graph(
            ports, settings, prompts, context_schema=StudioContext, on_threads=True
        ),
        build_chat_graph(ports, settings, prompts, interactive=True, context_schema=StudioContext),
    )


class _Closed:
    """Stands in for every port of an index that cannot be opened."""

    def __init__(self, error: ResearchAgentError) -> None:
        self._error = error

    def __call__(self, *_: object) -> object:
        raise self._error

    def __getattr__(self, name: str) -> object:
        raise self._error
