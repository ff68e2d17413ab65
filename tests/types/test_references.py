"""Following references: order, caps, cycles, how often the store is asked, and where they rank."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from research_agent.types import Hit, references
from tests.fakes import chunk


class Store:
    """References, and what was asked about them."""

    def __init__(self, *edges: references.Edge) -> None:
        self.edges = edges
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, chunk_ids: Sequence[str]) -> list[references.Edge]:
        self.asked.append(tuple(chunk_ids))
        return [e for e in self.edges if e.source in chunk_ids or e.target in chunk_ids]


def chain(names: str) -> list[references.Edge]:
    return [references.Edge(a, b, "see") for a, b in pairwise(names)]


@pytest.mark.parametrize(("depth", "found"), [(0, "a"), (1, "ab"), (3, "abcd"), (5, "abcdef")])
def test_depth(depth: int, found: str) -> None:
    store = Store(*chain("abcdefg"))
    expansion = references.expand("a", store, depth=depth, max_total=100)

    assert dict(zip(found, range(depth + 1), strict=True)) == expansion.found
    assert dict.fromkeys(range(depth + 1), 1) == expansion.depths
    assert [(name,) for name in found[:depth]] == store.asked
    assert not expansion.truncated
    assert references.Expansion() == references.expand([], store, depth=5, max_total=5)


def test_kinds_then_reading_order() -> None:
    """What a chunk needs most comes first; mentions and what leads here are not followed."""
    kinds: tuple[references.LinkKind, ...] = ("mention", "link", "see", "part", "schema")
    edges = [references.Edge("a", kind + end, kind) for end in "21" for kind in kinds]
    found = references.expand(
        "a", Store(*edges, references.Edge("x", "a", "schema")), depth=1, max_total=100
    ).found

    assert [f"{kind}{end}" for kind in ("schema", "part", "see", "link") for end in "21"] == list(
        found
    )[1:]


@pytest.mark.parametrize(
    ("requested", "most", "excluded", "found", "truncated"),
    [
        ("a", 4, "", "abdc", False),
        ("a", 2, "", "ab", True),
        ("acb", 2, "", "ac", True),
        ("a", 0, "", "", True),
        ("a", 2, "b", "ad", False),
        ("ac", 9, "a", "c", False),
    ],
)
def test_the_cap_counts_requested_chunks_and_is_told_only_where_it_cut(
    requested: str, most: int, excluded: str, found: str, *, truncated: bool
) -> None:
    """Excluded chunks cost nothing and lead nowhere."""
    store = Store(*chain("abc"), references.Edge("a", "d", "link"))
    expansion = references.expand(requested, store, depth=5, max_total=most, excluded={*excluded})

    assert (found, truncated) == ("".join(expansion.found), expansion.truncated)


@pytest.mark.parametrize(
    ("hits", "brought", "most", "expected"),
    [
        ("abc", {"a": "tu"}, 9, "abtcu"),
        ("abc", {"a": "tu"}, 1, "abtc"),
        ("abcdef", {"a": "tu", "b": "vt"}, 9, "abtcduefv"),
        ("ab", {"a": "b", "b": "b"}, 9, "ab"),
        ("abc", {"a": "tu"}, 0, "abc"),
        ("", {}, 9, ""),
    ],
)
def test_what_hits_refer_to_is_among_them(
    hits: str, brought: dict[str, str], most: int, expected: str
) -> None:
    chunks = {name: chunk(name, doc_id=name) for name in "abcdeftuv"}
    ids = {name: item.chunk_id for name, item in chunks.items()}
    given = [Hit(chunks[name], 1.0) for name in hits]
    found = references.with_referred(
        given, {ids[name]: [chunks[n] for n in of] for name, of in brought.items()}, most=most
    )

    assert expected == "".join(hit.chunk.text for hit in found)
    scores = [hit.score for hit in found]
    assert sorted(set(scores), reverse=True) == scores
    assert 3 == references.EVERY


def test_unresolved_references_are_counted_once_and_named() -> None:
    found = references.unresolved(["#a", "#a"], [f"{i}.md" for i in range(5)])

    outside = ("0.md", "1.md", "2.md")
    assert found == references.Unresolved(
        dangling=1, dangling_names=("#a",), outside=5, outside_names=outside
    )
    assert (
        "1 reference leads nowhere: #a",
        "5 references lead out of the index: 0.md, 1.md, 2.md, …",
    ) == references.unresolved_words(found)
    assert () == references.unresolved_words(references.Unresolved())
