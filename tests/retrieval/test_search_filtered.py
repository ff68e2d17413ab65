"""A search with its filter: what `rerank` turns off, what is timed, where the limit stands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from research_agent.context import RunContext
from research_agent.errors import ModelUnavailableError
from research_agent.planning.filter.step import HitFilter
from research_agent.planning.reading import Links
from research_agent.planning.tool_texts import discarded_note, search_text
from research_agent.ports import Ports
from research_agent.retrieval.reorder.stages import Reorderer
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.retrieval.search.retrieve import About, search_chunks
from research_agent.settings import FilterSettings, Settings
from research_agent.types.calls import SearchResult
from research_agent.types.filtering import FilterStats
from tests.fakes import PROMPTS, ScriptedChat, WordEmbedder, ports
from tests.planning.test_filter import ENOUGH, writes

TEXTS = [f"ML-KEM note {i} on keys." for i in range(9)]
QUERY = "ML-KEM keys"


class FailingOn(WordEmbedder):
    """Embeds everything but one text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.text in texts:
            raise ModelUnavailableError("down")
        return super().embed(texts)


GONE = "\n".join(f"k{i} -> DISCARD" for i in range(2, 9))


def search(
    given: Ports,
    settings: Settings,
    *,
    rerank: bool,
    max_chunks: int = 3,
    **more: Any,  # noqa: ANN401 (of the step)
) -> SearchResult:
    return search_chunks(
        QUERY,
        max_chunks=max_chunks,
        allowance=ENOUGH,
        ports=given,
        retrieval=settings.retrieval,
        reorder=Reorderer(given, settings, PROMPTS),
        filtering=HitFilter(RunContext(given, settings, PROMPTS), Links(given)),
        rerank=rerank,
        about=About(**more),
    )


def wants(**changes: object) -> Settings:
    return replace(Settings(), filter=FilterSettings(**changes))  # type: ignore[arg-type]  # (they fit)


def test_without_rerank_the_ranking_is_returned_as_it_is() -> None:
    """No model is asked and nothing is dropped, whatever the settings say."""
    model = ScriptedChat(writes("k1 -> DISCARD"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    settings = wants(mode="llm", min_similarity=1.0)
    found = search(given, settings, rerank=False, max_chunks=5)

    ranked = hybrid_search(QUERY, ports=given, settings=settings.retrieval)
    assert (ranked[:5], []) == (found.hits, model.asked)
    assert ("off", 5, 5) == (found.stats.mode, found.stats.original, found.stats.kept)
    assert [hit.chunk.chunk_id for hit in ranked[:5]] == [
        decision.chunk_id for decision in found.stats.decisions
    ]
    assert 9 == found.total_found
    assert found.stats.tokens_before == found.stats.tokens_after > 0


def test_filter_sees_what_the_search_ranks() -> None:
    """Its calls, its notes and its seconds are in the result; its limit is the candidates'."""
    model = ScriptedChat(writes(f"k1 -> KEEP\n{GONE}"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    found = search(given, wants(mode="llm"), rerank=True)

    assert [0] == [hit.chunk.order for hit in found.hits]
    assert 5 == found.stats.original
    assert 3 == found.stats.unknown_ids
    assert (1, (QUERY,)) == (len(found.event.calls), found.event.queries)
    assert found.stats.search_seconds > 0
    assert found.stats.filter_seconds > 0
    assert 500 == found.stats.prompt_tokens


ALL = "\n".join(f"k{i} -> DISCARD" for i in range(1, 9))


def test_next_hits_are_judged_where_all_are_discarded() -> None:
    """For the question itself there is nothing better to search for; what is kept is the result."""
    model = ScriptedChat(writes(ALL), writes(f"k2 -> KEEP\nk1 -> DISCARD\n{GONE}"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    found = search(given, wants(mode="llm"), rerank=True)
    ranked = hybrid_search(QUERY, ports=given, settings=wants().retrieval)

    assert [ranked[6].chunk] == [hit.chunk for hit in found.hits]
    assert (9, 1, False) == (found.stats.original, found.stats.kept, found.stats.all_discarded)
    assert 2 == len(found.event.calls)
    assert ranked[4].chunk.text in model.asked[0][1]
    assert ranked[4].chunk.text not in model.asked[1][1]


def test_hits_of_the_question_are_judged_where_all_of_a_part_are_discarded() -> None:
    """What was judged before is not judged again; a search that fails leaves the next hits."""
    question = "Which note 8 is it?"
    for failing in (False, True):
        model = ScriptedChat(writes(ALL), writes("k1 -> KEEP"))
        given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
        ranked = hybrid_search(QUERY, ports=given, settings=wants().retrieval)
        other = hybrid_search(question, ports=given, settings=wants().retrieval)
        if failing:
            given = replace(given, embedder=FailingOn(question))
        found = search(given, wants(mode="llm"), rerank=True, question=question)

        judged = {hit.chunk.chunk_id for hit in ranked[:5]}
        new = [h.chunk for h in (ranked if failing else other) if h.chunk.chunk_id not in judged]
        assert new[0] == found.hits[0].chunk
        assert not judged.intersection(hit.chunk.chunk_id for hit in found.hits)
        assert "This search" in model.asked[0][1]
        assert failing == ("This search" in model.asked[1][1])
        assert failing == any("down" in note for note in found.event.notes)


def test_best_are_marked_where_nothing_is_kept() -> None:
    """After a second look, or without one where the caller searches again itself."""
    for again, calls in ((True, 2), (False, 1)):
        model = ScriptedChat(writes(ALL))
        given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
        found = search(given, wants(mode="llm"), rerank=True, look_again=again)

        assert [0, 1] == [hit.chunk.order for hit in found.hits]
        assert (calls, True, 2) == (len(model.asked), found.stats.all_discarded, found.stats.kept)
        assert "none of the" in search_text(found)
        assert "try other words" in discarded_note(found.stats)


def test_second_look_that_fails_is_noted() -> None:
    """The first look's verdict stands."""
    model = ScriptedChat(writes(ALL), ModelUnavailableError("down"))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    found = search(given, wants(mode="llm"), rerank=True)

    assert [0, 1] == [hit.chunk.order for hit in found.hits]
    assert ("down", "error") == (found.stats.fallback, found.stats.fallback_type)
    assert any("no verdict on 4 hits" in note for note in found.event.notes)


def test_second_look_that_cannot_be_read_is_counted() -> None:
    """Two such replies of a question let "auto" go on as "local"."""
    model = ScriptedChat(writes(ALL), writes("All are good."))
    given = ports(ScriptedChat(), filterer=model, texts=TEXTS)
    found = search(given, wants(mode="llm"), rerank=True)

    assert ("unreadable", 1) == (found.stats.fallback_type, found.event.unreadable)


def test_record_survives_json() -> None:
    """As a checkpoint and `ask --json` have it, with a decision for each chunk."""
    given = ports(ScriptedChat(), filterer=ScriptedChat(writes(GONE)), texts=TEXTS)
    stats = search(given, wants(mode="llm"), rerank=True).stats
    adapter = TypeAdapter(FilterStats)
    rows = adapter.dump_python(stats, mode="json")

    assert stats == adapter.validate_json(adapter.dump_json(stats))
    assert {
        "chunk_id": "guide-1",
        "verdict": "discard",
        "why": "model",
        "relevance": None,
        "kept": False,
        "reason": "",
    } == rows["decisions"][1]
    assert (0.8, 1, 4) == (rows["reduction_ratio"], rows["kept"], rows["discarded"])
