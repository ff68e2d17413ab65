"""What the question or the first hits name moves up, and nothing else does."""

from dataclasses import replace

import pytest

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk
from research_agent.types.references import Edge
from research_agent.types.scope import Scope
from tests import fakes

PLAIN = RetrievalSettings(planner="off", top_k=4, title_weight=0.0, mention_weight=0.0)
TEXTS = {
    "harbour": "The harbour wall was built by the firm of the Pilot.",
    "wall": "A harbour wall of stone was built.",
    "built": "A wall was built.",
    "stone": "A stone wall.",
    "pilot": "Born in 1901.",
    "tide": "Water rises.",
}
QUERY = "Who built the harbour wall of the firm?"


def chunk(name: str) -> Chunk:
    return Chunk(name, name, TEXTS[name], title=name.title(), source=f"/d/{name}.md")


def ports(*edges: Edge) -> Ports:
    chunks = [chunk(name) for name in TEXTS]
    return replace(
        fakes.ports(fakes.ScriptedChat(fakes.YES)),
        vectors=fakes.MemoryVectors(chunks),
        lexical=fakes.MemoryWords(chunks),
        chunks=fakes.MemoryChunks(chunks, edges),
    )


def search(query: str, *edges: Edge, scope: Scope | None = None, **kept: float) -> Ranked:
    settings = replace(PLAIN, **kept)  # type: ignore[arg-type]  # (values, by name)
    return rank(query, ports=ports(*edges), settings=settings, scope=scope or Scope())


def ids(ranked: Ranked) -> list[str]:
    return [hit.chunk.chunk_id for hit in ranked.hits]


def mention(source: str, target: str) -> Edge:
    return Edge(source, target, "mention")


def test_without_weights_or_without_names_nothing_changes() -> None:
    """No stage, the same hits; and the words as they are ask for no names."""
    edges = (mention("harbour", "pilot"),)
    plain = search(QUERY, *edges)
    assert "named" not in dict(plain.stages)
    assert "pilot" not in ids(plain)
    untitled = "Who built the wall of the firm?"
    assert search(untitled).hits == search(untitled, title_weight=0.5, mention_weight=0.5).hits
    weights = replace(PLAIN, title_weight=0.5, mention_weight=0.5)
    assert "named" in dict(rank(QUERY, ports=ports(*edges), settings=weights).stages)
    exact = rank(QUERY, ports=ports(*edges), settings=weights, exact=True)
    assert plain.hits == exact.hits


def test_what_the_first_hit_names_is_let_in_behind_it() -> None:
    """It has its similarity, falling scores, and never passes the first hit."""
    for weight, place in ((0.5, 4), (0.7, 3), (10.0, 1)):
        found = search(QUERY, mention("harbour", "pilot"), mention_weight=weight)
        assert ("harbour", "pilot") == (ids(found)[0], ids(found)[place])
        scores = [hit.score for hit in found.hits]
        assert sorted(set(scores), reverse=True) == scores
        assert all(hit.similarity is not None for hit in found.hits)
        assert found.stages[-2][0] == "named"


def test_later_hits_count_less_and_only_the_first_ones_count() -> None:
    """The first hit's name stands above the second one's; the fourth hit names nothing."""
    order = ids(search(QUERY))
    first, second, *_, last = order[:4]
    found = ids(search(QUERY, mention(second, "tide"), mention(first, "pilot"), mention_weight=0.3))
    assert found.index("pilot") < found.index("tide")
    assert "tide" not in ids(search(QUERY, mention(last, "tide"), mention_weight=1.0))
    hits = ids(search(QUERY, mention(last, "tide"), mention_weight=1.0, mention_hits=4))
    assert "tide" in hits


def test_other_references_and_those_against_the_direction_do_not_count() -> None:
    """Links are not mentions, and what mentions a hit is not named by it."""
    edges = (Edge("harbour", "pilot", "link"), mention("tide", "harbour"))
    assert ids(search(QUERY)) == ids(search(QUERY, *edges, mention_weight=1.0))


def test_at_most_four_names_of_a_hit_and_known_ones_first() -> None:
    """A list of names does not flood the ranking."""
    edges = [mention("harbour", name) for name in ("tide", "pilot", "stone", "built", "wall")]
    found = search(QUERY, *edges, mention_weight=0.5)
    assert {"stone", "built", "wall"} < set(ids(found))
    assert 1 == len({"tide", "pilot"} & set(ids(found)))


def test_the_scope_holds() -> None:
    """What is left out of a search is not let in by a name."""
    scope = Scope(exclude=frozenset({"pilot"}))
    found = search(QUERY, mention("harbour", "pilot"), scope=scope, mention_weight=1.0)
    assert "pilot" not in ids(found)


@pytest.mark.parametrize(
    ("query", "first"),
    [("stone was built, says Wall", "wall"), ("Is the Stone built?", "stone"), ("stone", "stone")],
)
def test_a_document_whose_title_stands_in_the_question_moves_up(query: str, first: str) -> None:
    """Whole words as the title writes them."""
    assert first == ids(search(query, title_weight=5.0))[0]
    small = ids(search(query.lower(), title_weight=5.0))
    assert ids(search(query.lower())) == small


def test_nothing_found_stays_nothing() -> None:
    """Without a hit there is nothing to move."""
    empty = replace(ports(), vectors=fakes.MemoryVectors([]), lexical=fakes.MemoryWords([]))
    settings = replace(PLAIN, title_weight=1.0, mention_weight=1.0)
    assert () == rank("zebra", ports=empty, settings=settings).hits
