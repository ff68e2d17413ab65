"""The steps that search: what is known from before, the filter's part, and a second look."""

from dataclasses import replace
from typing import Any

import pytest

from research_agent.context import RunContext, StepContext
from research_agent.errors import ModelUnavailableError, ToolInputError
from research_agent.planning.filter.step import HitFilter
from research_agent.planning.reading import Links
from research_agent.planning.tool_texts import discarded_note, search_text
from research_agent.ports import Ports
from research_agent.retrieval import step
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import FilterSettings, RerankSettings, RetrievalSettings, Settings
from research_agent.types.calls import SearchResult
from research_agent.types.scope import Scope
from research_agent.types.verification import Check
from tests.fakes import PROMPTS, FailingEmbedder, ScriptedChat, WordEmbedder, ports
from tests.planning.test_filter import writes
from tests.retrieval.searching import ENOUGH, Scripted
from tests.retrieval.test_ranking import GIVEN

TEXTS = [f"ML-KEM note {i} on keys." for i in range(9)]
QUERY = "ML-KEM keys"
GONE = "\n".join(f"k{i} -> DISCARD" for i in range(2, 9))
ALL = f"k1 -> DISCARD\n{GONE}"


def context(given: Ports, settings: Settings | None = None) -> StepContext:
    return RunContext(given, settings or Settings(), PROMPTS).within(ENOUGH)


def search(
    given: Ports,
    settings: Settings | None = None,
    *,
    rerank: bool = True,
    max_chunks: int = 3,
    **more: Any,  # noqa: ANN401 (what is known beside the query)
) -> SearchResult:
    settings = settings or replace(Settings(), filter=FilterSettings(mode="llm"))
    within = context(given, settings)
    return step.search_documents(
        QUERY,
        step.SearchRequest(max_chunks=max_chunks, rerank=rerank, **more),
        within,
        keep=HitFilter(within, Links(given), more.get("question", "")),
        follow=Links(given),
    )


def test_known_chunks_get_a_rank() -> None:
    embedder = WordEmbedder()
    given = replace(GIVEN, embedder=embedder)
    plain = step.retrieve("gauge levels", Check(), context(given)).value.hits
    probe = step.retrieve("gauge levels", Check(), context(given), known=["e", "gone"]).value.hits
    away = Scope(exclude=frozenset({"e"}))

    assert plain[:2] == probe[:2]
    assert "e" in [hit.chunk.chunk_id for hit in probe[:5]]
    assert 2 == embedder.asked.count("gauge levels")
    scoped = step.retrieve("gauge levels", Check(), context(given), known=["e"], scope=away)
    assert "e" not in [hit.chunk.chunk_id for hit in scoped.value.hits]


def test_a_first_probe_fails_and_a_later_one_says_so() -> None:
    given = replace(GIVEN, embedder=FailingEmbedder("LAT"))
    later = step.retrieve("What?", Check(next_query="LAT"), context(given))

    assert (True, ()) == (later.value.failed, later.value.hits)
    assert ("retrieve: no embeddings; the best answer so far is kept",) == later.event.notes
    with pytest.raises(ModelUnavailableError):
        step.retrieve("LAT", Check(), context(given))
    with pytest.raises(ToolInputError):
        step.retrieve("LAT", Check(), context(GIVEN), scope=Scope(documents=("none",)))


def test_without_rerank_the_ranking_is_returned_as_it_is() -> None:
    model = ScriptedChat(writes("k1 -> DISCARD"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    settings = replace(Settings(), filter=FilterSettings(mode="llm", min_similarity=1.0))
    found = search(given, settings, rerank=False, max_chunks=5)

    ranked = rank(QUERY, ports=given, settings=settings.retrieval).hits
    assert (ranked[:5], []) == (found.hits, model.asked)
    assert ("off", 5, 5) == (found.stats.mode, found.stats.original, found.stats.kept)
    assert [h.chunk.chunk_id for h in ranked[:5]] == [d.chunk_id for d in found.stats.decisions]
    assert 9 == found.total_found
    assert found.stats.tokens_before == found.stats.tokens_after > 0


def test_hits_are_filtered_and_cut_after_the_new_order() -> None:
    given = ports(ScriptedChat(), texts=["ML-KEM keys.", "A row of ML-KEM.", "Bread is old."])
    last = replace(given, reranker=Scripted(0.1, 0.2, 0.3), warnings=lambda: ("By words only.",))
    settings = replace(Settings(), rerank=RerankSettings(mode="http"))
    every, near = (
        search(last, replace(settings, filter=FilterSettings(min_similarity=least)), max_chunks=1)
        for least in (-1.0, 0.2)
    )

    assert [["Bread is old."], ["A row of ML-KEM."]] == [
        [hit.chunk.text for hit in found.hits] for found in (every, near)
    ]
    assert ("By words only.",) == every.event.notes


def test_filter_sees_what_the_search_ranks() -> None:
    model = ScriptedChat(writes(f"k1 -> KEEP\n{GONE}"))
    found = search(ports(ScriptedChat(), filterer=model, texts=TEXTS))

    assert [0] == [hit.chunk.order for hit in found.hits]
    assert (5, 3, 500) == (found.stats.original, found.stats.unknown_ids, found.stats.prompt_tokens)
    assert (1, (QUERY,)) == (len(found.event.calls), found.event.queries)
    assert min(found.stats.search_seconds, found.stats.filter_seconds) > 0


def test_next_hits_are_judged_where_all_are_discarded() -> None:
    model = ScriptedChat(writes(ALL), writes(f"k2 -> KEEP\nk1 -> DISCARD\n{GONE}"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    found = search(given)
    ranked = rank(QUERY, ports=given, settings=RetrievalSettings()).hits

    assert [ranked[6].chunk] == [hit.chunk for hit in found.hits]
    assert (9, 1, False) == (found.stats.original, found.stats.kept, found.stats.all_discarded)
    assert 2 == len(found.event.calls)
    assert [True, False] == [ranked[4].chunk.text in asked[1] for asked in model.asked]


@pytest.mark.parametrize("failing", [False, True])
def test_hits_of_the_question_are_judged_where_all_of_a_part_are_discarded(
    *, failing: bool
) -> None:
    question = "Which note 8 is it?"
    model = ScriptedChat(writes(ALL), writes("k1 -> KEEP"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    ranked, other = (
        rank(query, ports=given, settings=RetrievalSettings()).hits for query in (QUERY, question)
    )
    if failing:
        given = replace(given, embedder=FailingEmbedder(question))
    found = search(given, question=question)

    judged = {hit.chunk.chunk_id for hit in ranked[:5]}
    new = [h.chunk for h in (ranked if failing else other) if h.chunk.chunk_id not in judged]
    assert new[0] == found.hits[0].chunk
    assert not judged.intersection(hit.chunk.chunk_id for hit in found.hits)
    assert [True, failing] == ["This search" in asked[1] for asked in model.asked]
    assert failing == any("no embeddings" in note for note in found.event.notes)


@pytest.mark.parametrize(("again", "calls"), [(True, 2), (False, 1)])
def test_best_are_marked_where_nothing_is_kept(*, again: bool, calls: int) -> None:
    model = ScriptedChat(writes(ALL))
    found = search(ports(ScriptedChat(), filterer=model, texts=TEXTS), look_again=again)

    assert [0, 1] == [hit.chunk.order for hit in found.hits]
    assert (calls, True, 2) == (len(model.asked), found.stats.all_discarded, found.stats.kept)
    assert "none of the" in search_text(found)
    assert "try other words" in discarded_note(found.stats)


def test_a_second_look_that_fails_is_noted_and_counted() -> None:
    failed, unreadable = (
        search(ports(ScriptedChat(), filterer=ScriptedChat(writes(ALL), second), texts=TEXTS))
        for second in (ModelUnavailableError("down"), writes("All are good."))
    )

    assert [0, 1] == [hit.chunk.order for hit in failed.hits]
    assert ("down", "error") == (failed.stats.fallback, failed.stats.fallback_type)
    assert any("no verdict on 4 hits" in note for note in failed.event.notes)
    assert ("unreadable", 1) == (unreadable.stats.fallback_type, unreadable.event.unreadable)


def test_hits_of_the_round_replace_those_of_a_search_that_fails() -> None:
    given = ports(ScriptedChat(), texts=TEXTS)
    instead = rank("note", ports=given, settings=RetrievalSettings()).hits
    down = replace(given, embedder=FailingEmbedder(QUERY))
    found = search(down, Settings(), instead=instead)

    assert {h.chunk for h in found.hits} <= {h.chunk for h in instead}
    assert "search: no embeddings; answered from the round's first search" in found.event.notes
    with pytest.raises(ModelUnavailableError):
        search(down, Settings())
