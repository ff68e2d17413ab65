"""What the question or the first hits name moves up, and nothing else does."""

import pytest

from research_agent.retrieval.search import names
from research_agent.retrieval.search.ranking import Ranked
from research_agent.types import Chunk
from research_agent.types.references import Edge
from research_agent.types.scope import EVERYTHING, Scope
from tests.retrieval import searching
from tests.retrieval.searching import ids, stages

TEXTS = {
    "harbour": "The harbour wall was built by the firm of the Pilot.",
    "wall": "A harbour wall of stone was built.",
    "built": "A wall was built.",
    "stone": "A stone wall.",
    "pilot": "Born in 1901.",
    "tide": "Water rises.",
}
CHUNKS = [Chunk(n, n, text, title=n.title(), source=f"/d/{n}.md") for n, text in TEXTS.items()]
QUERY = "Who built the harbour wall of the firm?"


@pytest.fixture(autouse=True)
def no_titles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "TITLE_WEIGHT", 0.0)


def mention(source: str, target: str) -> Edge:
    return Edge(source, target, "mention")


def search(query: str, *edges: Edge, scope: Scope = EVERYTHING) -> Ranked:
    given = searching.ports(CHUNKS, edges)
    return searching.search(query, given, scope=scope, top_k=4, question_kinds=False)


@pytest.mark.parametrize(("weight", "place"), [(0.5, 4), (0.7, 3), (10.0, 1)])
def test_what_the_first_hit_names_is_let_in_behind_it(
    weight: float, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "MENTION_WEIGHT", weight)
    edge = mention("harbour", "pilot")
    found, without = search(QUERY, edge), search(QUERY)

    assert ("harbour", "pilot") == (ids(found)[0], ids(found)[place])
    assert all(hit.similarity is not None for hit in found.hits)
    assert found.stages[-2][0] == "named"
    assert "pilot" not in ids(without)
    assert "named" not in stages(without)
    assert "pilot" not in ids(search(QUERY, edge, scope=Scope(exclude=frozenset({"pilot"}))))


def test_later_hits_count_less_and_only_the_first_ones_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, *_, last = ids(search(QUERY))[:4]
    found = ids(search(QUERY, mention(second, "tide"), mention(first, "pilot")))

    assert found.index("pilot") < found.index("tide")
    assert "tide" not in ids(search(QUERY, mention(last, "tide")))
    monkeypatch.setattr(names, "MENTION_HITS", 4)
    assert "tide" in ids(search(QUERY, mention(last, "tide")))


def test_other_references_and_those_against_the_direction_do_not_count() -> None:
    edges = (Edge("harbour", "pilot", "link"), mention("tide", "harbour"))
    assert ids(search(QUERY)) == ids(search(QUERY, *edges))


def test_at_most_four_names_of_a_hit_and_known_ones_first() -> None:
    edges = [mention("harbour", name) for name in ("tide", "pilot", "stone", "built", "wall")]
    found = search(QUERY, *edges)
    assert {"stone", "built", "wall"} < set(ids(found))
    assert 1 == len({"tide", "pilot"} & set(ids(found)))


@pytest.mark.parametrize(
    ("query", "first"),
    [("stone was built, says Wall", "wall"), ("Is the Stone built?", "stone"), ("stone", "stone")],
)
def test_a_document_whose_title_stands_in_the_question_moves_up(
    query: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ids(search(query.lower()))
    monkeypatch.setattr(names, "TITLE_WEIGHT", 5.0)

    assert first == ids(search(query))[0]
    assert plain == ids(search(query.lower()))


def test_nothing_found_stays_nothing() -> None:
    assert () == searching.search("zebra", searching.ports([])).hits
