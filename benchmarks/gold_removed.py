"""Answerable questions whose answers were taken out of the index: they have to be refused.

Nothing is indexed anew: the chunks on every accepted page are left out of each search.
"""

from collections.abc import Callable, Mapping, Sequence

from benchmarks.questions import Row
from graphs.research import build_research_graph
from graphs.state import ResearchInput, ResearchOutput
from research_agent.config import load_prompts
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import Chunk
from research_agent.types.result import ResearchResult
from research_agent.types.scope import Scope


def removed_keys(keys: Sequence[Row]) -> list[Row]:
    """Return the answerable questions as ones that have no answer."""
    return [{**key, "answerable": False} for key in keys if key["answerable"]]


def is_on(chunk: Chunk, pages: Sequence[Mapping[str, object]]) -> bool:
    """Return whether a chunk stands on any of the pages.

    >>> chunk = Chunk("a:1", "a", "text", start_page=2, end_page=3)
    >>> is_on(chunk, [{"doc_id": "a", "page": 3}]), is_on(chunk, [{"doc_id": "b", "page": 3}])
    (True, False)
    """
    return any(
        chunk.doc_id == page["doc_id"]
        and page["page"] in range(chunk.start_page, chunk.end_page + 1)
        for page in pages
    )


def gold_chunks(key: Row, ports: Ports) -> frozenset[str]:
    """Return the ids of the chunks on the accepted pages of a question."""
    pages = key["accepted_pages"]
    documents = dict.fromkeys(page["doc_id"] for page in pages)
    chunks = [chunk for doc_id in documents for chunk in ports.contents(doc_id)]
    return frozenset(chunk.chunk_id for chunk in chunks if is_on(chunk, pages))


def asking_without(ports: Ports, settings: Settings) -> Callable[[Row], ResearchResult]:
    """Return what answers a question without the chunks of its accepted pages."""
    graph = build_research_graph(ports, settings, load_prompts())

    def ask(key: Row) -> ResearchResult:
        scope = Scope(exclude=gold_chunks(key, ports))
        output = graph.invoke(ResearchInput(question=key["question"], scope=scope))
        return ResearchOutput.model_validate(output).result

    return ask


def leaked(result: ResearchResult, key: Row) -> int:
    """Return how many chunks of the evidence stand on an accepted page: none should."""
    return sum(is_on(item.hit.chunk, key["accepted_pages"]) for item in result.evidence)
