"""A search with its filter: what `rerank` turns off, what is timed, where the limit stands."""

from dataclasses import replace

from pydantic import TypeAdapter

from research_agent.core.calls import SearchResult
from research_agent.core.filtering import FilterStats
from research_agent.ports import Ports
from research_agent.settings import FilterSettings, Settings
from research_agent.steps.filter import HitFilter
from research_agent.steps.reorder import Reorderer
from research_agent.steps.search import hybrid_search, search_chunks
from tests.fakes import PROMPTS, ScriptedChat, ports
from tests.steps.filters import ENOUGH, writes

TEXTS = [f"ML-KEM note {i} on keys." for i in range(9)]
QUERY = "ML-KEM keys"
GONE = "\n".join(f"k{i} -> DISCARD" for i in range(2, 9))


def search(given: Ports, settings: Settings, *, rerank: bool, max_chunks: int = 3) -> SearchResult:
    return search_chunks(
        QUERY,
        max_chunks=max_chunks,
        allowance=ENOUGH,
        ports=given,
        retrieval=settings.retrieval,
        reorder=Reorderer(given, settings, PROMPTS),
        filtering=HitFilter(given, settings, PROMPTS),
        rerank=rerank,
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
    } == rows["decisions"][1]
    assert (0.8, 1, 4) == (rows["reduction_ratio"], rows["kept"], rows["discarded"])
