"""The hybrid search: modes, scope, reserved ranks, and the same result for any input order."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from research_agent.errors import ModelTimeoutError
from research_agent.retrieval.search import ranking
from research_agent.types import Chunk, ChunkKind, ScoredId
from research_agent.types.scope import Scope
from tests import fakes
from tests.retrieval.searching import ids, ports, search, stages

TEXTS = {
    "a": ("The pump PX-200 moves water and the pump PX-200 is loud.", ("3. Use",)),
    "b": ("LAT | lowest astronomical tide", ("2. Terms",)),
    "c": ("LAT is used for every LAT level on the LAT chart of the LAT gauge.", ("4. Levels",)),
    "d": ("This guide tells how levels such as LAT are read.", ("1. Introduction",)),
    "e": ("PX-300 moves oil.", ("3. Use",)),
    **{f"x{i}": (f"LAT reading number {i} of the day at the gauge.", ("5. Data",))
       for i in range(12)},
}  # fmt: skip
COMPARED = "Is PX-200 or PX-300 the better one for water?"
BOTH = {"meaning", "words"}
QUERIES = ["What is LAT?", COMPARED, "gauge levels", "How does Algorithm 2 work?"]


def chunks(order: Sequence[str] = tuple(TEXTS)) -> list[Chunk]:
    pages = {name: page for page, name in enumerate(TEXTS, start=2)}
    return [
        Chunk(name, "guide", TEXTS[name][0], pages[name], pages[name], section=TEXTS[name][1])
        for name in order
    ]


GIVEN = ports(chunks())


class Closed:
    """An index or a model that must not be asked."""

    name = "closed"

    def search(self, _: object, *, k: int) -> list[ScoredId]:
        raise AssertionError(k)

    def similarities(self, _: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        raise AssertionError(chunk_ids)

    def embed(self, _: Sequence[str]) -> list[list[float]]:
        raise ModelTimeoutError("no reply within 2 s", hint="ask again")


class OnlyExact(fakes.MemoryVectors):
    """Vectors that are compared where asked for by id, and not searched."""

    def search(self, _: object, *, k: int) -> list[ScoredId]:
        raise AssertionError(k)


@pytest.mark.parametrize("query", QUERIES)
def test_order_of_the_inputs_does_not_matter(query: str) -> None:
    found = []
    for seed in range(6):
        order = list(TEXTS)
        Random(seed).shuffle(order)  # noqa: S311 (no secret)
        found.append(search(query, ports(chunks(order))).hits)

    assert [found[0]] * 6 == found


def test_definition_moves_up_and_overview_enters(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = search("What is LAT?", GIVEN, question_kinds=False)
    planned = search("What is LAT?", GIVEN)
    front = ranking.OVERVIEW_INSERT_RANK
    monkeypatch.setattr(ranking, "OVERVIEWS", 0)
    without = ids(search("What is LAT?", GIVEN))

    assert ("general", "definition") == (plain.plan.kind, planned.plan.kind)
    assert ids(planned).index("b") <= ids(plain).index("b")
    assert ids(planned).index("d") <= front
    assert {"definitions", "overview pages"} <= stages(planned)
    assert without[:front] == ids(planned)[:front]
    assert set(without) <= set(ids(planned))


def test_things_compared_are_let_in_where_they_rank_low() -> None:
    more = [Chunk(f"a{i}", "guide", f"PX-200, {i}.", 50 + i, 50 + i) for i in range(6)]
    other = Chunk("other", "guide", "Seals of PX-300.", 60, 60)
    plain, crowded = search(COMPARED, GIVEN), search(COMPARED, ports([*chunks(), *more, other]))

    assert {"a", "e"} <= set(ids(plain)[:6])
    assert 2 == sum(name.startswith("about: ") for name, _ in plain.stages)
    assert "e" not in dict(crowded.stages)["fused"][:6]
    assert "e" in ids(crowded)[:6]


def test_an_identifier_that_one_chunk_alone_holds_puts_it_first() -> None:
    asked = "Which LAT levels does the chart of the gauge have, as set by {}?"
    rare = [Chunk("r", "guide", "Set by rule QX-77b.", 40, 40), *chunks()]
    found = search(asked.format("qx-77B"), ports(rare))
    both = search(
        asked.format("QX-77b"), ports([*rare, Chunk("s", "guide", "QX-77b LAT.", 41, 41)])
    )

    assert ("r", True) == (ids(found)[0], "identifiers" in stages(found))
    assert "identifiers" not in stages(both)
    assert "r" != ids(search(asked.format("rule"), ports(rare)))[0]


def test_scope_never_shrinks_the_result() -> None:
    scope = Scope(exclude=frozenset(["b", "c", "d", *(f"x{i}" for i in range(9))]))
    left = {"a", "e", "x9", "x10", "x11"}

    assert left == set(ids(search("LAT gauge", GIVEN, scope=scope, top_k=5)))
    assert {"x9", "x10", "x11"} <= set(ids(search("LAT gauge", GIVEN, scope=scope, top_k=3)))
    assert [] == ids(search("LAT gauge", GIVEN, scope=Scope(documents=("other",))))


@pytest.mark.parametrize("query", QUERIES)
def test_one_index_alone_is_asked(query: str) -> None:
    """By words, similarities are exact, and one text is embedded."""
    given = replace(ports(chunks()), vectors=OnlyExact(chunks()))
    near = search(query, replace(GIVEN, lexical=Closed()), mode="dense")
    worded = search(query, given, mode="lexical")

    assert [{"meaning"}, {"words"}] == [stages(one) & BOTH for one in (near, worded)]
    assert {None} == {hit.lexical for hit in near.hits}
    exact = given.vectors.similarities(fakes.embedding(query), ids(worded))
    assert exact == [hit.similarity for hit in worded.hits]
    assert isinstance(given.embedder, fakes.WordEmbedder)
    assert [query] == given.embedder.asked


def test_one_index_alone_gives_its_own_order() -> None:
    query = "pump water LAT"
    vector = fakes.embedding(query)
    wanted = [GIVEN.lexical.search(query, k=30), GIVEN.vectors.search(vector, k=30)]

    assert [[item.chunk_id for item in one] for one in wanted] == [
        ids(search(query, GIVEN, mode=mode, question_kinds=False)) for mode in ("lexical", "dense")
    ]
    plain = search("What is LAT?", GIVEN, question_kinds=False)
    assert {*BOTH, "fused", "result"} == stages(plain)


def test_lexical_works_without_an_embedding_model() -> None:
    given = replace(GIVEN, embedder=Closed(), vectors=Closed())
    found = search("What is LAT?", given, mode="lexical")

    assert search("What is LAT?", GIVEN, mode="lexical").stages == found.stages
    assert {None} == {hit.similarity for hit in found.hits}
    assert ("search: no reply within 2 s; the hits have no similarity",) == found.notes
    for mode in ("dense", "hybrid"):
        with pytest.raises(ModelTimeoutError):
            search("What is LAT?", given, mode=mode)


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


ALGORITHMS = ports([
    chunk("ebb", "Algorithm 2 Ebb_All(x)\n1: a\n2: b", "Algorithm 2 Ebb_All(x)", page=3,
          kind="algorithm"),
    chunk("part", "Algorithm 3 Ebb_All_part(x)\n1: a\n2: b", "Algorithm 3 Ebb_All_part(x)", page=4,
          kind="algorithm"),
    *(chunk(f"t{i}", f"The algorithm Ebb_All shows {i} steps of the algorithm Ebb_All.", "3. Use",
            page=5 + i) for i in range(8)),
    chunk("table", "Table 2. Ebb_All levels\n | low\nA | 1", "3. Use", page=20, kind="table"),
])  # fmt: skip
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
TERMS = ports([
    chunk("list", "LAT | lowest astronomical tide\nMSL | mean sea level", "Acronyms", page=2),
    *(chunk(f"u{i}", f"What LAT and LAT mean for LAT number {i} of the LAT.", "5. Data",
            page=3 + i) for i in range(8)),
    chunk("use", "The lowest astronomical tide (LAT) is what charts have.", "4. Use", page=30),
])  # fmt: skip


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Show me the Ebb_All algorithm", "ebb"),
        ("What are the steps of Algorithm 2?", "ebb"),
        ("Give me Table 2", "table"),
    ],
)
def test_what_is_named_is_first(query: str, first: str, mode: str) -> None:
    assert first == ids(search(query, ALGORITHMS, mode=mode))[0]


def test_glossary_answers_what_a_term_means() -> None:
    meaning = search("What does LAT stand for?", TERMS)

    assert "list" == ids(meaning)[0]
    assert ("list",) == dict(meaning.stages)["definitions"]
    assert {"list", "use"} == set(dict(search("What is LAT?", TERMS).stages)["definitions"])


def test_each_document_of_a_family_brings_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    query, after = "Why do we need harbour rules?", ranking.OVERVIEW_EACH_INSERT_RANK
    pages = search(query, ports(RULES)).hits
    monkeypatch.setattr(ranking, "OVERVIEWS_EACH", 0)
    without = search(query, ports(RULES)).hits

    assert without[:after] == pages[:after]
    assert ["talk"] * after == [hit.chunk.doc_id for hit in pages[:after]]
    assert {"north", "south", "west"} == {h.chunk.doc_id for h in pages[after : after + 3]}
    assert {h.chunk.chunk_id for h in without} <= {h.chunk.chunk_id for h in pages}


def test_one_page_for_each_thing_compared() -> None:
    found = [
        *(chunk(f"x{i}", f"PX-200 and PX-300 differ in part {i}.", "3. Parts", page=10 + i,
                doc_id="parts") for i in range(9)),
        chunk("old", "This guide is about the PX-200 pump.", "Introduction", page=2, doc_id="old"),
        chunk("new", "This guide is about the PX-300 pump.", "Introduction", page=2, doc_id="new"),
    ]  # fmt: skip

    ranked = ids(search("How do PX-200 and PX-300 differ?", ports(found)))
    assert {"old", "new"} <= set(ranked[:8])
