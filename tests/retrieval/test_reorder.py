"""The stages that may reorder hits: which run, what they ask, and what happens where they fail."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.errors import ConfigError, ModelAccessError, ModelUnavailableError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.retrieval.reorder.stages import Reorderer
from research_agent.settings import BlendSettings, RerankSettings, RetrievalSettings, Settings
from research_agent.types import Completion, Hit, Outcome
from research_agent.types.blending import BlendDiagnostics
from research_agent.types.budget import Allowance
from research_agent.types.reordering import Reordered
from tests.fakes import (
    NO,
    PROMPTS,
    YES,
    CountingClock,
    ScriptedChat,
    WordCount,
    chunk,
    ports,
    says,
)

TEXTS = ("Bread is baked.", "An ML-KEM-768 key is defined as bytes.", "Bread and ML-KEM-768.")
HITS = tuple(
    Hit(chunk(text, at), 1 - at / 10, 0.5, lexical)
    for at, (text, lexical) in enumerate(zip(TEXTS, (None, 2.0, 9.0), strict=True))
)
PLENTY = Allowance(40, 20, 100_000, 900.0)
CODE = says('{"domain": "software", "task": "define", "modifier": "unknown"}')
MODEL = BlendSettings(mode="codes", codes="model", alpha=0.0)


class Judge:
    """A reranker with known verdicts, or an error."""

    def __init__(self, *verdicts: float, error: Exception | None = None) -> None:
        self.verdicts, self.error = verdicts, error
        self.asked: list[tuple[tuple[str, ...], float]] = []

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        assert query
        self.asked.append((tuple(texts), seconds))
        if self.error:
            raise self.error
        return self.verdicts[: len(texts)]


class Log:
    """Keeps diagnostics in a list."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, BlendDiagnostics]] = []

    def put(self, query: str, diagnostics: BlendDiagnostics) -> None:
        self.kept.append((query, diagnostics))


def reorder(
    settings: Settings,
    query: str = "What is an ML-KEM-768 key?",
    *,
    given: Ports | None = None,
    hits: Sequence[Hit] = HITS,
    allowance: Allowance = PLENTY,
) -> tuple[Outcome[Reordered], Meter]:
    given = given or ports(ScriptedChat())
    meter = Meter(allowance, tokenizer=WordCount(), clock=CountingClock())
    return Reorderer(given, settings, PROMPTS)(query, hits, top_k=2, meter=meter), meter


def order(done: Outcome[Reordered]) -> str:
    return "".join(hit.chunk.chunk_id[-1] for hit in done.value.hits)


def asking(*replies: Completion | BaseException) -> tuple[Ports, ScriptedChat]:
    model = ScriptedChat(*replies)
    return ports(ScriptedChat(), filterer=model), model


def test_nothing_happens_by_default() -> None:
    """The very hits come back; no clock is read, no model is asked."""
    given, model = asking(YES)
    done, meter = reorder(Settings(), given=given)

    assert Outcome(Reordered(HITS)) == done
    assert ((), []) == (meter.calls, model.asked)
    assert 1.0 == PLENTY.seconds - meter.left().seconds


def test_the_word_search_as_a_second_opinion() -> None:
    """Alpha weighs the two; the new order is a stage of its own."""
    half = replace(Settings(), blend=BlendSettings(mode="words", alpha=0.4))
    done, _ = reorder(half)

    assert "201" == order(done)
    assert (("blended with words", ("guide-2", "guide-0", "guide-1")),) == done.value.stages
    assert "012" == order(reorder(replace(half, blend=replace(half.blend, alpha=1.0)))[0])


def test_settings_of_blending_are_heard() -> None:
    """Scale, temperature, and how many hits may change places, for those who read the log."""
    log = Log()
    given = replace(ports(ScriptedChat()), blend_log=log)
    for blend in (
        BlendSettings(mode="words", alpha=0.0, multiplier=1.0),
        BlendSettings(mode="words", alpha=0.0, largest=1),
        BlendSettings(mode="words", alpha=0.0, scale="softmax", temperature=0.5),
        BlendSettings(mode="words", alpha=0.0, scale="softmax", temperature=100.0),
    ):
        reorder(replace(Settings(), blend=blend), "key", given=given)

    assert [(2, "rank"), (1, "rank"), (3, "softmax"), (3, "softmax")] == [
        (kept.pool, kept.mode) for _, kept in log.kept
    ]
    assert ["key"] * 4 == [query for query, _ in log.kept]
    assert log.kept[2][1].after[0] == "guide-2"


def test_codes_by_patterns_ask_nobody() -> None:
    """A definition is asked for, and the chunk that defines rises."""
    given, model = asking(CODE)
    done, _ = reorder(
        replace(Settings(), blend=BlendSettings(mode="codes", alpha=0.0)), given=given
    )

    assert "1" == order(done)[0]
    assert [] == model.asked


def test_codes_by_the_model_are_metered_and_kept() -> None:
    """The query first, then as many hits as are candidates; the second time nobody is asked."""
    given, model = asking(CODE, NO, CODE)
    settings = replace(Settings(), blend=MODEL, rerank=RerankSettings(candidates=2))
    meter = Meter(PLENTY, tokenizer=WordCount(), clock=CountingClock())
    reorderer = Reorderer(given, settings, PROMPTS)
    first = reorderer("What is a key?", HITS, top_k=2, meter=meter)

    assert ["key?" in model.asked[0][1], "baked" in model.asked[1][1]] == [True, True]
    assert (3, 3) == (len(model.asked), len(meter.calls))
    assert ("blend: no code from the model for 1 texts; patterns gave theirs",) == first.event.notes
    assert 37 == meter.left().llm_calls
    again = reorderer("What is a key?", HITS, top_k=2, meter=meter)
    assert 4 == len(model.asked)
    assert () == again.event.notes


def test_a_model_that_fails_is_not_asked_on_and_on() -> None:
    """Each fault may take as long as all tries; patterns stand in, and the note says why."""
    given, model = asking(CODE, ModelUnavailableError("down"))
    done, meter = reorder(replace(Settings(), blend=MODEL), given=given)

    assert (2, 2) == (len(model.asked), len(meter.calls))
    assert "for 3 texts (down); patterns" in done.event.notes[0]


def test_codes_stop_where_the_budget_does() -> None:
    """The same for calls that are not paid."""
    given, model = asking(CODE)
    done, _ = reorder(
        replace(Settings(), blend=MODEL), given=given, allowance=replace(PLENTY, llm_calls=2)
    )

    assert 2 == len(model.asked)
    assert "for 2 texts (budget.llm_calls is spent)" in done.event.notes[0]


@pytest.mark.parametrize(
    ("query", "planner", "expected"),
    [
        ("What is an ML-KEM-768 key?", "on", "102"),
        ("Has ML-KEM-768 bytes", "on", "012"),
        ("What is an ML-KEM-768 key?", "off", "012"),
    ],
    ids=["definition", "general", "no planner"],
)
def test_promotion_by_the_kind_of_question(query: str, planner: str, expected: str) -> None:
    """A definition may be founded on one word, a general question not; half of the hits stay."""
    retrieval = RetrievalSettings(planner="on" if planner == "on" else "off")
    settings = replace(Settings(), rerank=RerankSettings(mode="promote"), retrieval=retrieval)
    given = [replace(hit, lexical=None) for hit in HITS]
    done, _ = reorder(settings, query, hits=given)

    assert expected == order(done)
    assert "promoted" == done.value.stages[0][0]


def test_promotion_within_its_pool() -> None:
    """A hit behind it stays where it is."""
    settings = replace(Settings(), rerank=RerankSettings(mode="promote", pool=1))

    assert "012" == order(reorder(settings)[0])


def test_a_rerank_server_has_the_time_that_is_left() -> None:
    """It reads chunks as the index does; its limit is the smaller of the two."""
    judge = Judge(0.1, 0.9)
    given = replace(ports(ScriptedChat()), reranker=judge)
    settings = replace(Settings(), rerank=RerankSettings(mode="http", candidates=2, timeout=30))
    done, meter = reorder(settings, given=given)
    reorder(settings, given=given, allowance=replace(PLENTY, seconds=9.0))

    assert "102" == order(done)
    assert [(TEXTS[:2], 30.0), (TEXTS[:2], 8.0)] == judge.asked
    assert ((), ()) == (meter.calls, done.event.notes)


def test_no_time_is_no_request() -> None:
    """What is less than a second is not handed out."""
    judge = Judge(0.1, 0.9)
    given = replace(ports(ScriptedChat()), reranker=judge)
    settings = replace(Settings(), rerank=RerankSettings(mode="http"))
    done, _ = reorder(settings, given=given, allowance=replace(PLENTY, seconds=1.5))

    assert (HITS, []) == (done.value.hits, judge.asked)
    assert ("rerank: budget.seconds is spent; the order was kept",) == done.event.notes


@pytest.mark.parametrize(
    "error", [ModelUnavailableError("down", hint="Up?"), ModelAccessError("401", hint="The key?")]
)
def test_a_fault_keeps_the_order_of_the_stage_before(error: Exception) -> None:
    """Blending has been done, and stays."""
    given = replace(ports(ScriptedChat()), reranker=Judge(error=error))
    settings = replace(
        Settings(),
        blend=BlendSettings(mode="words", alpha=0.0),
        rerank=RerankSettings(mode="http", min_score=0.5),
    )
    done, _ = reorder(settings, given=given)

    assert "201" == order(done)
    assert ["blended with words", "reranked (http)"] == [name for name, _ in done.value.stages]
    assert str(error) in done.event.notes[0]


def test_a_rerank_server_has_to_be_there() -> None:
    """Whoever gives ports of their own is told at once."""
    with pytest.raises(ConfigError, match=r"rerank\.mode is http"):
        reorder(replace(Settings(), rerank=RerankSettings(mode="http")))


def test_the_filter_model_judges_one_by_one() -> None:
    """Each question is a call of the meter; low verdicts are dropped."""
    given, model = asking(NO, YES, NO)
    settings = replace(Settings(), rerank=RerankSettings(mode="model", min_score=0.3))
    done, meter = reorder(settings, given=given)

    assert "1" == order(done)
    assert (3, 3) == (len(model.asked), len(meter.calls))
    assert {"filter"} == {role for role, _, _ in model.asked}
    assert "<chunk" in model.asked[0][1]


def test_verdicts_that_are_not_paid_are_told() -> None:
    """Those that there are count."""
    given, model = asking(NO, YES, YES)
    settings = replace(Settings(), rerank=RerankSettings(mode="model"))
    done, _ = reorder(settings, given=given, allowance=replace(PLENTY, llm_calls=2))

    assert ("102", 2) == (order(done), len(model.asked))
    assert ("rerank: no verdict on 1 of 3 hits",) == done.event.notes
