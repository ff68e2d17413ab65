"""Indexing as a graph: first what would be done, then doing it; a person may look in between."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import Field

from graphs.state import State, as_values, whole_input
from research_agent.assembly.embedding_choice import as_indexed, to_index
from research_agent.assembly.known_vectors import embedding_cache
from research_agent.assembly.models.connecting import connect_embedder
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.updating import Indexer, preview_index
from research_agent.errors import PathError
from research_agent.settings import Settings
from research_agent.text.paths import is_shared
from research_agent.types.documents import IndexReport

ROOTS = "RESEARCH_AGENT_STUDIO_ROOTS"


def roots_of(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders that the variable names, else the one that the server was started in."""
    named = [text for text in environment.get(ROOTS, "").split(os.pathsep) if text]
    return tuple(Path(text).expanduser().resolve() for text in named or ["."])


def check_within(roots: Sequence[Path], paths: Sequence[str], index: str) -> None:
    """Raise PathError for a path outside all roots, links followed; a named index is nowhere else.

    >>> check_within([Path("/srv/docs")], ["/srv/docs/a.md"], "notes")
    """
    if is_shared(index):
        raise PathError(
            f"{index} is a shared index, and Studio writes none.",
            hint="Index it on the command line: research-agent index --index",
        )
    places = [index] if "/" in index or os.sep in index or index.startswith(".") else []
    for text in (*paths, *places):
        place = Path(os.path.expanduser(text)).resolve()  # noqa: PTH111 (~nobody stays)
        if not any(place.is_relative_to(root) for root in roots):
            raise PathError(
                f"{text} is in none of the folders that Studio may index",
                hint=f"Name its folder in {ROOTS}, and start the server again.",
            )


class IndexInput(State):
    """What to index, and where."""

    paths: Annotated[
        tuple[str, ...],
        Field(min_length=1, description="Files and folders on the server's machine."),
    ]
    index: str = Field(
        "default", min_length=1, description="A name, or a folder (with a slash in it)."
    )
    dry_run: bool = Field(default=False, description="Say what would be done, and write nothing.")
    rebuild: bool = Field(default=False, description="Forget what is indexed; read all again.")
    prune: bool = Field(default=False, description="Also forget what folders held, now empty.")


class IndexState(IndexInput):
    """The working state."""

    preview: IndexReport = IndexReport()
    report: IndexReport = IndexReport()


IndexGraph = CompiledStateGraph[IndexState, None, IndexInput, IndexState]


def build_index_graph(
    settings: Settings, environment: Mapping[str, str], *, roots: Sequence[Path]
) -> IndexGraph:
    """Wire a preview and the run itself; each opens what it needs, and closes it.

    Both raise PathError for what is outside the folders `roots`: a state can be edited in between.
    """

    def preview(state: IndexState) -> dict[str, IndexReport]:
        check_within(roots, state.paths, state.index)
        models = settings.models if state.rebuild else as_indexed(state.index, settings.models)
        how = {"rebuild": state.rebuild, "prune": state.prune}
        with connect_embedder(models, environment=environment) as embedder:
            name = embedder.name
            planned = preview_index(state.index, state.paths, settings, model=name, **how)
        return {"preview": planned, "report": IndexReport()}

    def update(state: IndexState) -> dict[str, IndexReport]:
        check_within(roots, state.paths, state.index)
        files, rebuild = local_files(settings.documents), state.rebuild
        with reader(settings.documents) as documents, embedding_cache(environment) as cache:
            models, _ = to_index(
                state.index,
                state.paths,
                settings.models,
                files=files,
                reader=documents,
                rebuild=rebuild,
            )
            with connect_embedder(models, environment=environment) as embedder:
                indexer = Indexer(
                    settings=settings, embedder=embedder, files=files, reader=documents, cache=cache
                )
                report = indexer.update(
                    state.index, state.paths, rebuild=rebuild, prune=state.prune
                )
        return {"report": report}

    def after_preview(state: IndexState) -> Literal["update", "__end__"]:
        return "__end__" if state.dry_run else "update"

    graph = StateGraph(IndexState, input_schema=IndexInput)

    def add(name: str, node: Callable[[IndexState], dict[str, IndexReport]]) -> None:
        read: RunnableLambda[Any, IndexState] = RunnableLambda(IndexState.model_validate)
        graph.add_node(name, read | node, input_schema=as_values(IndexState))

    add("preview", preview)
    add("update", update)
    graph.add_edge(START, "preview")
    graph.add_conditional_edges("preview", after_preview)
    graph.add_edge("update", END)
    compiled = graph.compile(name="index")
    compiled.nodes[START].mapper = whole_input(IndexInput)
    return compiled
