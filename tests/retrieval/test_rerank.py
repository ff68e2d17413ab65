"""The rerank step."""

import pytest

from research_agent import errors
from research_agent.retrieval.reorder.rerank import passage, rerank
from research_agent.types import Chunk, Hit
from tests.fakes import chunk
from tests.retrieval.searching import Scripted

HITS = [Hit(chunk(text, at), 1 - at / 10) for at, text in enumerate(["bread", "keys", "bytes"])]


def test_candidates_are_ordered_and_the_rest_follows() -> None:
    reranker = Scripted(0.2, 0.7)
    found = rerank("q", HITS, reranker, candidates=2, seconds=5.0)
    gaps = rerank("q", HITS, Scripted(0.2, None, 0.4), candidates=3)

    assert ["keys", "bread", "bytes"] == [hit.chunk.text for hit in found.value]
    assert [("q", ("bread", "keys"), 5.0)] == reranker.asked
    assert () == found.event.notes
    assert ["bytes", "keys", "bread"] == [hit.chunk.text for hit in gaps.value]
    assert ("rerank: no verdict on 1 of 3 hits",) == gaps.event.notes


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (errors.ModelUnavailableError("down"), ""),
        (errors.ModelBusyError("busy"), ""),
        (errors.ModelTimeoutError("slow"), ""),
        (errors.BudgetError("llm_calls"), ""),
        (errors.ModelAccessError("no", hint="Check the key."), ". Check the key."),
    ],
)
def test_order_is_kept_where_the_reranker_fails(error: Exception, cure: str) -> None:
    found = rerank("q", HITS[::-1], Scripted(error=error), candidates=3)

    assert tuple(HITS) == found.value
    assert f"rerank: {error}; the order was kept{cure}" in found.event.notes[0]


def test_passages_have_their_headings() -> None:
    """A server reads what the index reads."""
    hit = Hit(Chunk("a", "d", "It has 1184 bytes.", title="FIPS 203", section=("Sizes",)))

    assert "FIPS 203 > Sizes\nIt has 1184 bytes." == passage(hit)
    assert "It has 1184 bytes." == passage(Hit(Chunk("a", "d", "It has 1184 bytes.")))
