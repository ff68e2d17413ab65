"""Choosing evidence with the chunks around it at hand."""

from dataclasses import replace

from research_agent.answering.select_evidence.choosing import choose_evidence
from research_agent.settings import EvidenceSettings
from research_agent.types import Chunk, Hit
from tests import fakes

HEAD = "name | size | age"
CHUNKS = (
    Chunk("intro", "d", "Some text.", order=0),
    Chunk("first", "d", f"{HEAD}\na | 1 | 2", order=1, kind="table"),
    Chunk("second", "d", f"{HEAD}\nb | 3 | 4", order=2, kind="table"),
    Chunk("end", "d", "More text.", order=3),
)


def chosen(**settings: int) -> list[str]:
    given = replace(fakes.ports(fakes.ScriptedChat(fakes.YES)), chunks=fakes.MemoryChunks(CHUNKS))
    evidence = choose_evidence(
        [Hit(CHUNKS[2], 0.9)], (), ports=given, settings=EvidenceSettings(**settings)
    )
    return [item.hit.chunk.chunk_id for item in evidence]


def test_table_is_put_together_again() -> None:
    """The other part enters without being a hit, even where one hit is all there may be."""
    assert ["second", "first"] == chosen(max_chunks=1)


def test_neighbours_come_last() -> None:
    """As many on each side as the settings say."""
    assert ["second", "first", "end"] == chosen(neighbours=1)
    assert ["second", "first", "end", "intro"] == chosen(neighbours=2)
