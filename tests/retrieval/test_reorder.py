"""The stages that may reorder hits: which run, what they ask, and what happens where they fail."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent import errors
from research_agent.context import StepContext
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.retrieval.reorder import step
from research_agent.retrieval.reorder.step import Reordered
from research_agent.settings import BlendSettings, RerankSettings, RetrievalSettings, Settings
from research_agent.types import Chunk, Hit, Outcome
from research_agent.types.budget import Allowance
from tests.fakes import PROMPTS, CountingClock, ScriptedChat, WordCount, chunk, ports
from tests.retrieval.searching import ENOUGH, Log, Scripted

TEXTS = ("Bread is baked.", "An ML-KEM-768 key is defined as bytes.", "Bread and ML-KEM-768.")
HITS = tuple(
    Hit(chunk(text, at), 1 - at / 10, 0.5, lexical)
    for at, (text, lexical) in enumerate(zip(TEXTS, (None, 2.0, 9.0), strict=True))
)
WORDS = BlendSettings(mode="words", alpha=0.0)


def reorder(
    settings: Settings,
    query: str = "What is an ML-KEM-768 key?",
    *,
    given: Ports | None = None,
    hits: Sequence[Hit] = HITS,
    allowance: Allowance = ENOUGH,
) -> tuple[Outcome[Reordered], Meter]:
    meter = Meter(allowance, tokenizer=WordCount(), clock=CountingClock())
    context = StepContext(given or ports(ScriptedChat()), settings, PROMPTS, meter)
    return step.reorder(query, hits, context, top_k=2), meter


def order(done: Outcome[Reordered]) -> str:
    return "".join(hit.chunk.chunk_id[-1] for hit in done.value.hits)


def wants(
    blend: BlendSettings | None = None,
    candidates: int = 10,
    timeout: float = 60.0,
    **rerank: object,
) -> Settings:
    judged = RerankSettings(candidates=candidates, timeout=timeout, **rerank)  # type: ignore[arg-type]  # (they fit)
    return replace(Settings(), blend=blend or BlendSettings(), rerank=judged)


def test_nothing_happens_by_default() -> None:
    """The very hits come back; no clock is read, no model is asked."""
    done, meter = reorder(Settings())

    assert (Outcome(Reordered(HITS)), ()) == (done, meter.calls)
    assert 1.0 == ENOUGH.seconds - meter.left().seconds


def test_the_word_search_as_a_second_opinion() -> None:
    log = Log()
    given = replace(ports(ScriptedChat()), blend_log=log)
    done, _ = reorder(wants(replace(WORDS, alpha=0.4)), given=given)
    flat = replace(WORDS, scale="softmax", temperature=100.0)

    assert "201" == order(done)
    assert (("blended with words", ("guide-2", "guide-0", "guide-1")),) == done.value.stages
    assert "012" == order(reorder(wants(replace(WORDS, alpha=1.0)))[0])
    reorder(wants(flat), "key", given=given)
    assert [(3, "rank", 0.4), (3, "softmax", 0.0)] == [
        (kept.pool, kept.mode, kept.alpha) for _, kept in log.kept
    ]
    assert "key" == log.kept[1][0]
    assert "1" == order(reorder(wants(replace(WORDS, mode="patterns")))[0])[0]  # (nobody is asked)


@pytest.mark.parametrize(
    ("query", "kinds", "expected"),
    [
        ("What is an ML-KEM-768 key?", "on", "102"),
        ("Has ML-KEM-768 bytes", "on", "012"),
        ("What is an ML-KEM-768 key?", "off", "012"),
    ],
    ids=["definition", "general", "no kinds"],
)
def test_promotion_by_the_kind_of_question(query: str, kinds: str, expected: str) -> None:
    retrieval = RetrievalSettings(question_kinds=kinds == "on")
    given = [replace(hit, lexical=None) for hit in HITS]
    done, _ = reorder(replace(wants(mode="promote"), retrieval=retrieval), query, hits=given)

    assert expected == order(done)
    assert "promoted" == done.value.stages[0][0]


def test_a_rerank_server_has_the_time_that_is_left() -> None:
    judge = Scripted(0.1, 0.9)
    given = replace(ports(ScriptedChat()), reranker=judge)
    settings = wants(mode="http", candidates=2, timeout=30)
    done, meter = reorder(settings, given=given)
    reorder(settings, given=given, allowance=replace(ENOUGH, seconds=9.0))
    late, _ = reorder(settings, given=given, allowance=replace(ENOUGH, seconds=1.5))

    assert ("102", "012") == (order(done), order(late))
    assert [(TEXTS[:2], 30.0), (TEXTS[:2], 8.0)] == [asked[1:] for asked in judge.asked]
    assert ((), ()) == (meter.calls, done.event.notes)
    assert ("rerank: budget.seconds is spent; the order was kept",) == late.event.notes


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (errors.ModelUnavailableError("down", hint="Up?"), ""),
        (errors.BudgetError("llm_calls"), ""),
        (errors.ModelAccessError("no", hint="Check the key."), ". Check the key."),
    ],
)
def test_a_fault_keeps_the_order_of_the_stage_before(error: Exception, cure: str) -> None:
    given = replace(ports(ScriptedChat()), reranker=Scripted(error=error))
    done, _ = reorder(wants(WORDS, mode="http"), given=given)

    assert "201" == order(done)
    assert ["blended with words", "reranked (http)"] == [name for name, _ in done.value.stages]
    assert f"rerank: {error}; the order was kept{cure}" in done.event.notes[0]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([0.2, 0.9, 0.4], "bcad"),
        ([0.2, None, 0.4, None], "cbad"),
        ([0.5, 0.5, 0.5, 0.5], "abcd"),
        ([0.2, 0.9, 0.4, 7.0, 9.0], "dbca"),
        ([None, None], "abcd"),
        ([], "abcd"),
    ],
)
def test_verdicts(verdicts: list[float | None], expected: str) -> None:
    """They order hits; what has none keeps its rank, equal ones keep their order."""
    given = [Hit(Chunk(name, "d", name), 1 - at / 10) for at, name in enumerate("abcd")]

    assert expected == "".join(hit.chunk.text for hit in step.by_verdicts(given, verdicts))
    assert () == step.by_verdicts([], verdicts)


def test_a_server_reads_what_the_index_reads() -> None:
    hit = Hit(Chunk("a", "d", "It has 1184 bytes.", title="FIPS 203", section=("Sizes",)))

    assert "FIPS 203 > Sizes\nIt has 1184 bytes." == step.passage(hit)
    assert "It has 1184 bytes." == step.passage(Hit(Chunk("a", "d", "It has 1184 bytes.")))


def test_the_cross_encoder_reads_heading_and_text_within_its_time() -> None:
    done, _ = reorder(wants(mode="cross-encoder"))
    late, _ = reorder(wants(mode="cross-encoder", timeout=1.5))

    assert ("120", ("reranked (cross-encoder)",)) == (order(done), (done.value.stages[0][0],))
    assert ("rerank: no verdict on 2 of 3 hits",) == late.event.notes


def test_a_rerank_server_has_to_be_there() -> None:
    with pytest.raises(errors.ConfigError, match=r"rerank\.mode is http"):
        reorder(wants(mode="http"))
