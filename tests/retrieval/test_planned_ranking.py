"""What a question's plan adds to its ranking: named algorithms, glossaries, several documents."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk, ChunkKind, Hit
from tests import fakes

SETTINGS = RetrievalSettings()


def chunk(  # noqa: PLR0913 (one a field)
    name: str,
    text: str,
    heading: str,
    *,
    page: int = 1,
    kind: ChunkKind = "text",
    doc_id: str = "tides",
    title: str = "",
) -> Chunk:
    return Chunk(
        name, doc_id, text, page, page, section=(heading,), kind=kind, title=title, source="t.pdf"
    )


ALGORITHMS = [
    chunk("ebb", "Algorithm 2 Ebb_All(x)\n1: a\n2: b", "Algorithm 2 Ebb_All(x)", page=3,
          kind="algorithm"),
    chunk("part", "Algorithm 3 Ebb_All_part(x)\n1: a\n2: b", "Algorithm 3 Ebb_All_part(x)", page=4,
          kind="algorithm"),
    *(chunk(f"t{i}", f"The algorithm Ebb_All shows {i} steps of the algorithm Ebb_All.", "3. Use",
            page=5 + i) for i in range(8)),
    chunk("table", "Table 2. Ebb_All levels\n | low\nA | 1", "3. Use", page=20, kind="table"),
]  # fmt: skip
RULES = [
    chunk("talk", "Harbour rules, harbour rules and more harbour rules of a harbour.", "4. Talk",
          page=9, doc_id="talk"),
    *(chunk(f"talk{i}", f"Why harbour rules matter, part {i}.", "4. Talk", page=20 + i,
            doc_id="talk") for i in range(10)),
    *(chunk(name, f"This document tells how the {name} harbour is run.", "1. Introduction",
            page=2, doc_id=name, title=f"Rule of the {name} harbour")
      for name in ("north", "south", "west")),
    chunk("again", "This document has a summary of the north harbour.", "Summary", page=3,
          doc_id="north", title="Rule of the north harbour"),
]  # fmt: skip
TERMS = [
    chunk("list", "LAT | lowest astronomical tide\nMSL | mean sea level", "Acronyms", page=2),
    *(chunk(f"u{i}", f"What LAT and LAT mean for LAT number {i} of the LAT.", "5. Data",
            page=3 + i) for i in range(8)),
    chunk("use", "The lowest astronomical tide (LAT) is what charts have.", "4. Use", page=30),
]  # fmt: skip


def ports(found: Sequence[Chunk]) -> Ports:
    return replace(
        fakes.ports(fakes.ScriptedChat(fakes.YES)),
        vectors=fakes.MemoryVectors(found),
        lexical=fakes.MemoryWords(found),
        chunks=fakes.MemoryChunks(found),
    )


def search(query: str, found: Sequence[Chunk], **kept: float | str) -> Ranked:
    settings = replace(SETTINGS, **kept)  # type: ignore[arg-type]  # (values, by name)
    return rank(query, ports=ports(found), settings=settings)


def ids(ranked: Ranked) -> list[str]:
    return ids_of(ranked.hits)


def ids_of(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
@pytest.mark.parametrize(
    "query", ["Show me the Ebb_All algorithm", "What are the steps of Algorithm 2?"]
)
def test_named_algorithm_is_first(query: str, mode: str) -> None:
    """However often others speak of it, and whichever index is asked."""
    assert "ebb" == ids(search(query, ALGORITHMS, mode=mode))[0]


def test_without_weight_headings_are_not_looked_at() -> None:
    """The rule can be switched off."""
    ranked = search("Show me the Ebb_All algorithm", ALGORITHMS, heading_weight=0)

    assert "headings" not in {name for name, _ in ranked.stages}


def test_named_table_is_first() -> None:
    """A number of the same value is no reason to show an algorithm."""
    assert "table" == ids(search("Give me Table 2", ALGORITHMS))[0]


def test_glossary_answers_what_a_term_means() -> None:
    """Its entry is first; where the question wants more than a meaning it need not be."""
    assert "list" == ids(search("What does LAT stand for?", TERMS))[0]
    stages = dict(search("What does LAT stand for?", TERMS).stages)
    assert ("list",) == stages["definitions"]
    assert {"list", "use"} == set(dict(search("What is LAT?", TERMS).stages)["definitions"])


def test_each_document_of_a_family_brings_a_page() -> None:
    """Behind the question's own best hits, which stay where they are."""
    query = "Why do we need harbour rules?"
    pages, without = (search(query, RULES, overview_slots=n).hits for n in (2, 0))
    after = SETTINGS.overview_each_after

    assert ids_of(without[:after]) == ids_of(pages[:after])
    assert ["talk"] * after == [hit.chunk.doc_id for hit in pages[:after]]
    assert {"north", "south", "west"} == {h.chunk.doc_id for h in pages[after : after + 3]}
    assert set(ids_of(without)) <= set(ids_of(pages))


def test_one_page_for_each_thing_compared() -> None:
    """A thing brings what says what its document is about."""
    found = [
        *(chunk(f"x{i}", f"PX-200 and PX-300 differ in part {i}.", "3. Parts", page=10 + i,
                doc_id="parts") for i in range(9)),
        chunk("old", "This guide is about the PX-200 pump.", "Introduction", page=2, doc_id="old"),
        chunk("new", "This guide is about the PX-300 pump.", "Introduction", page=2, doc_id="new"),
    ]  # fmt: skip
    ranked = ids(search("How do PX-200 and PX-300 differ?", found))

    assert {"old", "new"} <= set(ranked[:8])
