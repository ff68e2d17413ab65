"""The research graph as a picture, drawn from the graph itself."""

from typing import Any

from research_agent.config import load_prompts
from research_agent.interfaces.own_graphs import research
from research_agent.ports import Ports
from research_agent.settings import Settings


def mermaid() -> str:
    """Return the graph, with the search inside it, as Mermaid text that ends with a line end.

    Nothing is opened or asked: the picture is the same for every index and every model.
    """
    nothing: Any = None
    ports = Ports(
        answerer=nothing,
        planner=nothing,
        filterer=nothing,
        verifier=nothing,
        embedder=nothing,
        vectors=nothing,
        lexical=nothing,
        chunks=nothing,
        tokenizer=nothing,
        clock=nothing,
        pairs=nothing,
        grounding=nothing,
    )
    graph = research.build_research_graph(ports, Settings(), load_prompts())
    return graph.get_graph(xray=True).draw_mermaid().rstrip("\n") + "\n"
