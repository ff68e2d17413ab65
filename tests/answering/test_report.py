"""The last step: sentences with their marks, status, cost, and the places of quotes."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.answering.report import NOTHING_CONFIRMED, report, result_of
from research_agent.context import RunContext
from research_agent.errors import IndexDamagedError
from research_agent.interfaces.cli.rendering import told_warnings
from research_agent.settings import BudgetSettings, Settings
from research_agent.text.alignment import PageSpan
from research_agent.text.quote_search import Quote
from research_agent.types import REFUSAL, Chunk, Hit, ModelCall, TraceEvent
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.types.result import ResearchResult, Unconfirmed, usage_of
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.uncertainty import Spot
from research_agent.types.verification import Check, Draft
from tests.answering.researched import State
from tests.fakes import PROMPTS, MemoryChunks, ScriptedChat, chunk, ports

CALLS = (
    ModelCall("answer", 100, 20, 60, model="large", price=0.5, tries=3),
    ModelCall("verifier", 100, 1, 90, model="small", price=0.25),
    ModelCall("planner", 70, 7, model="small", reused=True),
    ModelCall("planner", failed="ModelTimeoutError", seconds=9.0),
)

EVIDENCE = tuple(
    Evidence(f"c{at}", Hit(chunk(text, at, doc_id=f"d{at}")))
    for at, text in enumerate(("It has 1184 bytes.", "blue", "y"), 1)
)
GOOD = Claim("It has 1184 bytes.", ("c1",), (Quote(1.0, "1184", 0, 4),), "supported")
POOR = Claim("It is blue.", ("c2",), (Quote(0.3, "blue", 0, 4),))
FALSE = Claim("It has 9 bytes!", ("c1",), (Quote(0.5, "not nine", 5, 13),), "contradicted")
REST = Claim(
    "密钥公开。", ("c1", "c3"), (Quote(0.2, "x", 0, 1), Quote(0.9, "y", 0, 1)), "supported"
)
EMPTY, STOP = Draft(), Check("stop", "unchecked")


def result(
    check: Check, *events: TraceEvent, best: Draft = EMPTY, unconfirmed: Unconfirmed = "mark"
) -> ResearchResult:
    evidence = EVIDENCE if best.claims else ()
    state = State(check=check, evidence=evidence, trace=events)
    return result_of(state, best, unconfirmed)


def test_each_kind_of_call_is_counted() -> None:
    """Calls before a question are counted as its own are."""
    usage = usage_of([TraceEvent(CALLS, node="answer", seconds=12.0)])

    assert (3, 1, 2, 1) == (usage.llm_calls, usage.failed_calls, usage.retries, usage.reused_calls)
    assert (200, 150, 21) == (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    assert (0.75, {"answer": 12.0}) == (usage.cost, usage.node_seconds)
    before = replace(usage, node_seconds={}, elapsed_seconds=9.0)
    assert before == usage_of([]).and_calls(CALLS)


@pytest.mark.parametrize(
    ("prices", "cost"), [([], 0.0), ([0.1] * 10, 1.0), ([0.1, None], None), ([None], None)]
)
def test_cost_is_known_where_every_price_is(prices: list[float | None], cost: float | None) -> None:
    calls = tuple(ModelCall("answer", price=price) for price in prices)

    assert cost == usage_of([TraceEvent(calls)]).cost


def answered(
    *claims: Claim,
    unconfirmed: Unconfirmed = "mark",
    missing: tuple[str, ...] = (),
    check: Check = STOP,
    spots: tuple[Spot, ...] = (),
) -> ResearchResult:
    return result(
        check, best=Draft(1, claims, missing=missing, spots=spots), unconfirmed=unconfirmed
    )


def test_sentences_are_marked_and_counted() -> None:
    """What the model says is missing makes the answer a part of one."""
    found = answered(GOOD, POOR, FALSE, REST)
    part = answered(GOOD, POOR, missing=("the price", ""))

    assert (
        "It has 1184 bytes [c1]. It is blue [c2][unconfirmed]. It has 9 bytes [c1][contradicted]! "
        "密钥公开 [c1][c3]。"
    ) == found.answer
    assert ("answered", 2) == (found.status, found.supported)
    assert (1, 1) == (found.unconfirmed, found.contradicted)
    assert [("c1", "1184"), ("c2", "blue"), ("c3", "y")] == [
        (one.key, one.quote) for one in found.citations
    ]
    assert ("partial", ("the price", "")) == (part.status, part.unanswered)
    assert "" == part.refusal_reason


def test_rows_and_code_have_lines_of_their_own() -> None:
    head, row = replace(GOOD, text="| size | 1184 |"), replace(POOR, text="| blue | no |")
    found = answered(GOOD, head, row, POOR, replace(GOOD, text="```\nrun\n```"))

    assert found.answer.split("\n") == [
        "It has 1184 bytes [c1].",
        "| size | 1184 [c1] |",
        "| blue | no [c2][unconfirmed] |",
        "It is blue [c2][unconfirmed].",
        "```",
        "run",
        "```",
        "[c1]",
    ]


@pytest.mark.parametrize(("claims", "key"), [((POOR,), ""), ((POOR, FALSE), "[c1] ")])
def test_nothing_confirmed_is_said_first(claims: tuple[Claim, ...], key: str) -> None:
    """The nearest passage has its key where it is cited."""
    found = answered(*claims, missing=("the price",))
    first, _, draft = found.answer.partition("\n\n")

    assert ("unconfirmed", 0, "") == (found.status, found.supported, found.refusal_reason)
    assert f"{NOTHING_CONFIRMED} The nearest passage is {key}d1" in first
    assert draft.startswith("It is blue [c2][unconfirmed].")
    assert ("the price",) == found.unanswered


@pytest.mark.parametrize(
    ("claims", "check", "reason"),
    [
        ((FALSE, FALSE), STOP, "unsupported_draft"),
        ((), STOP, "unsupported_draft"),
        ((GOOD,), Check("stop", "refused", "", "insufficient_evidence"), "insufficient_evidence"),
    ],
)
def test_refusals(claims: tuple[Claim, ...], check: Check, reason: str) -> None:
    found = answered(*claims, check=check, missing=("the price",))

    assert ("refused", REFUSAL, reason) == (found.status, found.answer, found.refusal_reason)
    assert ((), ("the price",), 0) == (found.citations, found.unanswered, found.contradicted)


@pytest.mark.parametrize(
    ("mode", "claims", "status", "answer", "left_out"),
    [
        ("drop", (GOOD, POOR), "partial", "It has 1184 bytes [c1].", ("It is blue.",)),
        ("drop", (GOOD,), "answered", "It has 1184 bytes [c1].", ()),
        ("mark", (GOOD,), "answered", "It has 1184 bytes [c1].", ()),
        ("drop", (POOR,), "refused", REFUSAL, ()),
        ("refuse", (GOOD, POOR), "refused", REFUSAL, ()),
        ("refuse", (GOOD,), "answered", "It has 1184 bytes [c1].", ()),
    ],
)
def test_sentences_may_be_dropped_or_refuse_the_answer(
    mode: Unconfirmed,
    claims: tuple[Claim, ...],
    status: str,
    answer: str,
    left_out: tuple[str, ...],
) -> None:
    found = answered(*claims, unconfirmed=mode)

    assert (status, answer, left_out) == (found.status, found.answer, found.unanswered)
    assert (0, claims) == (found.unconfirmed, found.claims)


@pytest.mark.parametrize("claims", [(GOOD, POOR), (POOR,)])
def test_doubts_are_told_where_they_stand_in_the_answer(claims: tuple[Claim, ...]) -> None:
    spot = Spot(POOR.text, "value", 6, 10, "unsure about blue", 0.9, "logprobs")
    found = answered(*claims, spots=(spot,))

    assert ["blue"] == [found.answer[slice(*one.span)] for one in found.unsure]


TEXT = "Keys are new. All keys of the scheme are sampled anew."
QUOTE = "All keys of the scheme are sampled anew."


class Pages(MemoryChunks):
    """A store of one chunk and the texts of its document's pages."""

    def __init__(self, chunk: Chunk, **pages: str) -> None:
        super().__init__([chunk])
        self.pages = {int(name[1:]): text for name, text in pages.items()}

    def page_text(self, chunk_id: str, page: int) -> str:
        assert chunk_id in self.known
        return self.pages.get(page, "")


class Damaged(MemoryChunks):
    def page_text(self, chunk_id: str, page: int) -> str:
        raise IndexDamagedError(f"{chunk_id} of page {page} is damaged.", hint="rebuild it")


def reported(
    chunk: Chunk, chunks: MemoryChunks, quote: str = QUOTE, scope: Scope = EVERYTHING
) -> ResearchResult:
    start = chunk.text.index(quote)
    found = Quote(1.0, quote, start, start + len(quote))
    claim = Claim("Keys are sampled anew.", ("c1",), (found,), "supported")
    state = State(
        question="How are keys made?",
        best=Draft(claims=(claim,)),
        check=Check("stop", "confident"),
        evidence=(Evidence("c1", Hit(chunk)),),
        scope=scope,
    )
    given = replace(ports(ScriptedChat()), chunks=chunks)
    return report(state, RunContext(given, Settings(), PROMPTS).with_all_left(()))


def spans(chunk: Chunk, quote: str = QUOTE, **pages: str) -> Sequence[PageSpan]:
    (citation,) = reported(chunk, Pages(chunk, **pages), quote).citations
    return citation.page_spans


def test_places_over_a_page_break() -> None:
    chunk = Chunk("x", "guide", TEXT, 2, 3)
    pages = {
        "p2": "Keys are new.\r\nAll keys of the\r\n2",
        "p3": "Guide\r\nscheme are sam-\r\npled anew.",
    }
    parts = [pages[f"p{span.page}"][span.start : span.end] for span in spans(chunk, **pages)]

    assert ["All keys of the", "scheme are sam-\r\npled anew."] == parts


def test_head_of_a_table_on_the_page_before() -> None:
    chunk = Chunk("x", "guide", "name | key\nC | 1568", 3, 3, kind="table")
    pages = {"p2": "name key\r\nA 800", "p3": "C 1568\r\nD 9"}

    assert (PageSpan(2, 0, 8), PageSpan(3, 0, 6)) == spans(chunk, chunk.text, **pages)
    assert (PageSpan(3, 0, 6),) == spans(chunk, "C | 1568", **pages)


def test_quotes_without_a_place() -> None:
    """No page, other text on it, no chunk, or a damaged index: the quote alone is told."""
    chunk, other = Chunk("x", "guide", TEXT), Chunk("gone", "guide", TEXT)
    gone, damaged = reported(other, MemoryChunks([chunk])), reported(chunk, Damaged([chunk]))

    assert () == spans(chunk) == spans(chunk, p1="Something else stands here by now.")
    assert [(QUOTE, ())] * 2 == [
        (one.citations[0].quote, one.citations[0].page_spans) for one in (gone, damaged)
    ]
    assert (
        "report: x of page 1 is damaged. The quotes have no places on their pages.",
    ) == damaged.warnings


def test_a_period_that_leaves_out_undated_documents_is_told() -> None:
    chunk = Chunk("x", "guide", TEXT)
    (told,) = reported(chunk, MemoryChunks([chunk]), scope=Scope(since="2022")).warnings

    assert told.endswith("documents have no date and are left out")
    assert [told] == told_warnings(["filter: by rank", told], "confident")


def test_calls_that_a_limit_of_money_does_not_count_are_told() -> None:
    """A model without a price; kept replies and failed calls cost nothing."""
    calls = (*CALLS, ModelCall("filter", 9, 1, model="other"))
    state = State(trace=(TraceEvent(calls=calls),), check=STOP, best=EMPTY)
    limited = RunContext(ports(ScriptedChat()), Settings(budget=BudgetSettings(cost=1.0)), PROMPTS)
    free = RunContext(ports(ScriptedChat()), Settings(), PROMPTS)

    assert (
        "budget.cost: models.prices has no price for 'other'; its calls are not counted",
    ) == report(state, limited.with_all_left(())).warnings
    assert () == report(state, free.with_all_left(())).warnings
