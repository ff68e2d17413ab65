"""The hybrid search: plan, reserved places, scope, and the same result for any input order."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk
from research_agent.types.scope import Scope
from tests import fakes

SETTINGS = RetrievalSettings()
TEXTS = {
    "a": ("The pump PX-200 moves water and the pump PX-200 is loud.", ("3. Use",)),
    "b": ("LAT | lowest astronomical tide", ("2. Terms",)),
    "c": ("LAT is used for every LAT level on the LAT chart of the LAT gauge.", ("4. Levels",)),
    "d": ("This guide tells how levels such as LAT are read.", ("1. Introduction",)),
    "e": ("PX-300 moves oil.", ("3. Use",)),
    **{f"x{i}": (f"LAT reading number {i} of the day at the gauge.", ("5. Data",))
       for i in range(12)},
}  # fmt: skip


def chunks(order: Sequence[str] = tuple(TEXTS)) -> list[Chunk]:
    pages = {name: page for page, name in enumerate(TEXTS, start=2)}
    return [
        Chunk(name, "guide", TEXTS[name][0], pages[name], pages[name], section=TEXTS[name][1])
        for name in order
    ]


def ports(found: Sequence[Chunk]) -> Ports:
    return replace(
        fakes.ports(fakes.ScriptedChat(fakes.YES)),
        vectors=fakes.MemoryVectors(found),
        lexical=fakes.MemoryWords(found),
        chunks=fakes.MemoryChunks(found),
    )


def search(
    query: str, *, exact: bool = False, scope: Scope | None = None, **kept: int | str
) -> Ranked:
    settings = replace(SETTINGS, **kept)  # type: ignore[arg-type]  # (values, by name)
    return rank(
        query, ports=ports(chunks()), settings=settings, exact=exact, scope=scope or Scope()
    )


def ids(ranked: Ranked) -> list[str]:
    return [hit.chunk.chunk_id for hit in ranked.hits]


@pytest.mark.parametrize("query", ["What is LAT?", "Compare PX-200 and PX-300", "gauge levels"])
def test_order_of_the_inputs_does_not_matter(query: str) -> None:
    """Documents in any order give the same hits with the same scores."""
    found = []
    for seed in range(6):
        order = list(TEXTS)
        Random(seed).shuffle(order)  # noqa: S311 (no secret)
        found.append(rank(query, ports=ports(chunks(order)), settings=SETTINGS).hits)

    assert [found[0]] * 6 == found


def test_definition_moves_up_and_overview_enters() -> None:
    """What defines the term gains; the introduction stands at its reserved place or before."""
    plain, planned = search("What is LAT?", exact=True), search("What is LAT?")

    assert ("general", "definition") == (plain.plan.kind, planned.plan.kind)
    assert ids(planned).index("b") <= ids(plain).index("b")
    assert ids(planned).index("d") <= SETTINGS.overview_after
    assert {"definitions", "overview pages"} <= {name for name, _ in planned.stages}


def test_own_words_keep_the_front() -> None:
    """Reserved places never move the hits in front of them."""
    without = search("What is LAT?", overview_slots=0)

    front = SETTINGS.overview_after
    assert ids(without)[:front] == ids(search("What is LAT?"))[:front]
    assert set(ids(without)) <= set(ids(search("What is LAT?")))


def test_both_things_compared_are_found() -> None:
    """The best hit for each thing is among the first, however often the other is named."""
    compared = search("Is PX-200 or PX-300 the better one for water?")

    assert {"a", "e"} <= set(ids(compared)[:6])
    assert 2 == sum(name.startswith("about: ") for name, _ in compared.stages)


def test_scores_fall_strictly() -> None:
    """Whoever sorts hits by score keeps their order."""
    scores = [hit.score for hit in search("What is LAT?").hits]

    assert sorted(set(scores), reverse=True) == scores


def test_every_hit_has_its_similarity() -> None:
    """Also those that only words, a definition or an overview brought."""
    assert all(hit.similarity is not None for hit in search("What is LAT?", top_k=2).hits)


def test_scope_never_shrinks_the_result() -> None:
    """More is asked for until there are as many as wanted, or no more are left."""
    scope = Scope(exclude=frozenset(["b", "c", "d", *(f"x{i}" for i in range(9))]))
    left = {"a", "e", "x9", "x10", "x11"}

    assert left == set(ids(search("LAT gauge", scope=scope, top_k=5)))
    assert {"x9", "x10", "x11"} <= set(ids(search("LAT gauge", scope=scope, top_k=3)))
    assert [] == ids(search("LAT gauge", scope=Scope(documents=("other",))))


def test_planner_off_is_exact() -> None:
    """The setting and the option do the same."""
    off = rank("What is LAT?", ports=ports(chunks()), settings=replace(SETTINGS, planner="off"))

    assert search("What is LAT?", exact=True) == off
