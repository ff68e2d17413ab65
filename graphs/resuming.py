"""The research graph from one of its nodes on, with a state that was recorded."""

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.types import ModelCall, TraceEvent

from .research import build_research_graph
from .state import EVENTS, ResearchInput

BEFORE = {
    "assess": "retrieve",
    "refine": "assess",
    "search": "refine",
    "select_evidence": "search",
    "answer": "select_evidence",
    "verify": "answer",
    "report": "verify",
}
"""The node after which each one runs. Retrieve is the first, and in later rounds after verify."""
NODES = ("retrieve", *BEFORE)


def stream_from(
    node: str, recorded: Mapping[str, object], ports: Ports, settings: Settings, prompts: Prompts
) -> Iterable[Any]:
    """Yield the events of a run that begins with `node`, as JSON values.

    `recorded` is the state before it, as JSON values; every node checks what it reads.
    """
    log = JsonPlusSerializer(allowed_msgpack_modules=[TraceEvent, ModelCall])
    saver = InMemorySaver(serde=log)
    graph = build_research_graph(ports, settings, prompts, checkpointer=saver)
    place: RunnableConfig = {"configurable": {"thread_id": "replay"}}
    given: ResearchInput | None = None
    if node == "retrieve" and not recorded.get("rounds"):
        asked = {name: recorded[name] for name in ResearchInput.model_fields if name in recorded}
        given = ResearchInput.model_validate(asked)
    else:
        graph.update_state(place, dict(recorded), as_node=BEFORE.get(node, "verify"))
    return graph.stream(given, place, stream_mode="custom")


def trace_of(recorded: Mapping[str, object]) -> list[TraceEvent]:
    """Return the log of a recorded state."""
    return EVENTS.validate_python(recorded.get("trace", []))
