"""One run of indexing over a small folder, with made-up vectors."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from research_agent.errors import ResearchAgentError
from research_agent.index.adapters.vectors import chroma as vectors
from research_agent.settings import IndexSettings, Settings
from research_agent.types.documents import IndexReport
from tests.indexing import update

APPROXIMATE = IndexSettings(exact_below=0)
"""Every index has its vectors in Chroma."""


vectors.GRAPH |= {"sync_threshold": 10, "batch_size": 10}
# (so that a few vectors make a graph on disk; else it begins with a thousand)


def settings(*, chroma: bool) -> Settings:
    return replace(Settings(), index=APPROXIMATE) if chroma else Settings()


def run(docs: str, location: str, *, chroma: bool, rebuild: bool) -> IndexReport:
    return update(Path(docs), name=location, settings=settings(chroma=chroma), rebuild=rebuild)


def failed(work: Callable[[], object]) -> str:
    """Return how an error is told, empty where all went well."""
    try:
        work()
    except ResearchAgentError as error:
        return f"{type(error).__name__}: {error}\nhint: {error.hint}"
    return ""
