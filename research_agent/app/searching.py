"""`research-agent search`."""

import os
from collections.abc import Sequence
from dataclasses import replace

from research_agent.app.starting import start
from research_agent.app.terminal import say, say_json
from research_agent.assembly.connection import connect
from research_agent.core.evidence import place
from research_agent.core.questions import check_question
from research_agent.core.types import Hit
from research_agent.steps.search import hybrid_search


def search(query: str, *, index: str, config: str | None, k: int, as_json: bool) -> int:
    """Print the best `k` chunks for a query."""
    query = check_question(query)
    settings = start(config)
    with connect(index, settings, os.environ) as connection:
        wide = replace(settings.retrieval, top_k=max(k, settings.retrieval.top_k))
        hits = hybrid_search(query, ports=connection.ports, settings=wide)[:k]
    if as_json:
        say_json({"hits": hit_rows(hits)})
    else:
        say(hits_text(hits))
    return 0


def hit_rows(hits: Sequence[Hit]) -> list[dict[str, object]]:
    """Return hits as JSON values, best first."""
    return [
        {
            "rank": rank,
            "score": hit.score,
            "similarity": hit.similarity,
            "doc_id": hit.chunk.doc_id,
            "start_page": hit.chunk.start_page,
            "end_page": hit.chunk.end_page,
            "chunk_id": hit.chunk.chunk_id,
            "section": list(hit.chunk.section),
            "text": hit.chunk.text,
        }
        for rank, hit in enumerate(hits, start=1)
    ]


def hits_text(hits: Sequence[Hit]) -> str:
    """Return hits for people: place, similarity, and the beginning of the text."""
    if not hits:
        return "nothing found"
    return "\n".join(
        f"{rank}. {place(hit.chunk)}  (similarity {hit.similarity or 0.0:.2f})\n"
        f"   {' '.join(hit.chunk.text.split())[:200]}"
        for rank, hit in enumerate(hits, start=1)
    )
