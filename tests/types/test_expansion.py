"""Expansion along references: order, caps, cycles, and how often the store is asked."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest

from research_agent.types.expansion import FOLLOWED, Expansion, Reached, expand
from research_agent.types.references import PRIORITY, Edge


class Store:
    """References, and what was asked about them."""

    def __init__(self, *edges: Edge) -> None:
        self.edges = edges
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, chunk_ids: Sequence[str]) -> list[Edge]:
        self.asked.append(tuple(chunk_ids))
        return [e for e in self.edges if e.source in chunk_ids or e.target in chunk_ids]


def chain(names: str) -> list[Edge]:
    return [Edge(a, b, "see") for a, b in pairwise(names)]


@pytest.mark.parametrize(("depth", "found"), [(0, "a"), (1, "ab"), (3, "abcd"), (5, "abcdef")])
def test_depth(depth: int, found: str) -> None:
    """As many references are followed as the depth says, each depth asked about once."""
    store = Store(*chain("abcdefg"))
    expansion = expand({"a": depth}, store, max_total=100)
    assert tuple(found) == expansion.chunk_ids
    assert dict.fromkeys(range(depth + 1), 1) == expansion.depths
    assert [(name,) for name in found[:depth]] == store.asked
    assert not expansion.truncated


def test_nothing_requested_is_an_empty_result() -> None:
    """Without a chunk nothing is asked."""
    store = Store(*chain("ab"))
    assert Expansion() == expand({}, store, max_total=5)
    assert [] == store.asked
    assert {} == Expansion().depths


def test_kinds_then_scores_then_reading_order() -> None:
    """What a chunk needs most comes first; without scores the order of the text counts."""
    edges = [Edge("a", kind[0] + end, kind) for end in "21" for kind in reversed(PRIORITY)]
    found = expand({"a": 1}, Store(*edges), max_total=100, follow=PRIORITY)
    assert ("a", "s2", "s1", "p2", "p1", "l2", "l1", "m2", "m1") == tuple(
        dict.fromkeys(found.chunk_ids)
    )
    scored = expand({"a": 1}, Store(*edges), max_total=100, follow=PRIORITY, scores={"p1": 0.1})
    assert ("p1", "p2") == scored.chunk_ids[3:5]


def test_mentions_and_incoming_references_only_when_asked() -> None:
    """By default nothing is followed against its direction, and no mention at all."""
    store = Store(Edge("op", "schema", "schema"), Edge("op", "named", "mention"))
    assert "mention" not in FOLLOWED
    assert ("schema",) == expand({"schema": 5}, store, max_total=9).chunk_ids
    users = expand({"schema": 1}, store, max_total=9, incoming={"schema"})
    assert (Reached("schema"), Reached("op", 1, store.edges[0])) == users.reached
    named = expand({"op": 1}, store, max_total=9, follow={"mention"})
    assert ("op", "named") == named.chunk_ids


def test_a_cycle_ends() -> None:
    """A chunk that refers to itself, or back, is taken once."""
    store = Store(*chain("abca"), Edge("b", "b", "link"))
    expansion = expand({"a": 5}, store, max_total=100)
    assert ("a", "b", "c") == expansion.chunk_ids
    assert 3 == len(store.asked)


def test_the_cap_counts_requested_chunks_and_is_told_only_where_it_cut() -> None:
    """Exactly as many as allowed is not truncated; more requested than allowed is."""
    store = Store(*chain("abc"))
    assert not expand({"a": 5}, store, max_total=3).truncated
    two = expand({"a": 5}, store, max_total=2)
    assert (("a", "b"), True) == (two.chunk_ids, two.truncated)
    requested = expand({"a": 1, "c": 1, "b": 1}, store, max_total=2)
    assert (("a", "c"), True) == (requested.chunk_ids, requested.truncated)
    assert ((), True) == ((none := expand({"a": 1}, store, max_total=0)).chunk_ids, none.truncated)


def test_excluded_chunks_cost_nothing_and_lead_nowhere() -> None:
    """They are neither taken nor followed, also where they were requested."""
    store = Store(*chain("abc"), Edge("a", "d", "link"))
    assert ("a", "d") == expand({"a": 5}, store, max_total=2, excluded={"b"}).chunk_ids
    assert ("c",) == expand({"a": 5, "c": 0}, store, max_total=9, excluded={"a"}).chunk_ids


def test_each_chunk_has_its_own_depth_and_the_longer_way_counts() -> None:
    """A chunk that one request reaches at its end is passed by another that goes on."""
    store = Store(*chain("abcde"), Edge("x", "y", "see"), Edge("y", "c", "see"))
    assert ("a", "x", "b", "y", "c") == expand({"a": 1, "x": 2}, store, max_total=9).chunk_ids
    deep = expand({"a": 2, "x": 4}, store, max_total=9)
    assert {"d", "e"} <= set(deep.chunk_ids)
    assert len(set(deep.chunk_ids)) == len(deep.chunk_ids)


def test_what_is_found_does_not_depend_on_the_order_of_requests() -> None:
    """The same chunks at the same depths in any order, as the plain definition says."""
    random = Random(5)  # noqa: S311 (the same graphs each time)
    for _ in range(200):
        names = "abcdefghij"
        pairs = [random.sample(names, 2) for _ in range(12)]
        edges = [Edge(source, target, "see") for source, target in pairs]
        wanted = {name: random.randrange(4) for name in random.sample(names, 3)}
        found = expand(wanted, Store(*edges), max_total=100)
        again = expand(dict(reversed(wanted.items())), Store(*edges), max_total=100)
        assert set(found.chunk_ids) == set(again.chunk_ids) == within(wanted, edges)


def within(wanted: dict[str, int], edges: list[Edge]) -> set[str]:
    """Return what lies within so many references of each, one step after the other."""
    found = set()
    for name, depth in wanted.items():
        near = {name}
        for _ in range(depth):
            near |= {edge.target for edge in edges if edge.source in near}
        found |= near
    return found
