"""What a result that is no whole answer says beside it: advice, and conflicts of documents."""

from dataclasses import replace
from typing import Any

import pytest

from research_agent.answering.refusal_hint import advice_of, words_not_held
from research_agent.answering.report import conflicts_of, result_of
from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit, TraceEvent
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.types.records import DocumentOutline
from research_agent.types.result import Conflict, ResearchResult
from research_agent.types.scope import Scope
from research_agent.types.verification import Check, Draft
from tests.answering.researched import State
from tests.fakes import chunk

NEAR_IT = (Evidence("c1", Hit(Chunk("x", "guide", "The hose is red.", section=("Hoses",)))),)
DOCUMENTS = (
    DocumentOutline("guide", kinds={"text": 4, "table": 1}),
    DocumentOutline("notes", kinds={"text": 1}),
)
NEAR = "Searched 'the pump', 'a pump' in 2 documents (6 chunks); nearest: guide, section Hoses. "

DOUBTED = Claim("It is blue.")
DENIED = replace(DOUBTED, verdict="contradicted")


def refused(question: str = "How heavy is the pump?", **changes: Any) -> ResearchResult:  # noqa: ANN401 (fields of a result)
    state = State(
        question=question,
        check=Check("stop", "refused", "", "insufficient_evidence"),
        evidence=NEAR_IT,
        trace=(TraceEvent(queries=("the pump",)), TraceEvent(queries=("a pump",))),
    )
    return replace(result_of(state, Draft()), **changes)


@pytest.mark.parametrize(
    ("result", "advice"),
    [
        (refused(), "say nothing of 'heavy', 'pump'"),
        (refused("Is the hose red?"), "The passages read do not say it"),
        (refused(unanswered=("", "the price")), "say nothing of 'the price'"),
        (refused(refusal_reason="unsupported_draft", claims=(DENIED,)), "the passages contradict"),
        (
            refused(refusal_reason="unsupported_draft", claims=(DENIED, DOUBTED)),
            "set answer.unconf",
        ),
        (refused(refusal_reason="model_failed"), "doctor"),
        (refused(refusal_reason="no_evidence"), "Nothing came near: add documents on 'heavy'"),
        (refused(refusal_reason="budget", stop_reason="budget_tokens"), "budget.tokens"),
        (refused(status="partial", unanswered=("", "the price")), "Not found: 'the price'"),
        (refused(status="partial", unanswered=("",)), "Not found: a part of the question"),
        (refused(status="partial"), "is left out"),
        (refused(status="unconfirmed"), "Read the nearest passage"),
    ],
)
def test_each_ending_has_its_advice(result: ResearchResult, advice: str) -> None:
    told = advice_of(result, DOCUMENTS)

    assert told.startswith(NEAR)
    assert advice in told


def test_whole_answers_empty_indexes_and_searches_that_were_not_made() -> None:
    nothing = refused(refusal_reason="no_evidence", evidence=())

    assert "" == advice_of(refused(status="answered"), DOCUMENTS)
    assert "The index is empty" in advice_of(nothing, ())
    assert advice_of(replace(nothing, queries=()), DOCUMENTS).startswith("Nothing was searched. ")


@pytest.mark.parametrize(
    ("scope", "searched"),
    [
        (Scope(documents=("notes",)), "in 1 of 2 documents (1 of 6 chunks)"),
        (Scope(kinds=("text",)), "in 2 documents (5 of 6 chunks)"),
        (Scope(documents=("notes",), kinds=("table",)), "in 0 of 2 documents (0 of 6 chunks)"),
    ],
)
def test_what_the_scope_leaves_out_is_told(scope: Scope, searched: str) -> None:
    line = advice_of(refused(refusal_reason="no_evidence"), DOCUMENTS, scope)

    assert searched in line
    assert "Nothing came near" in line
    assert line.endswith("The rest is outside the scope: ask without it.")


def test_long_and_many_texts_stay_one_line() -> None:
    queries = ("a " * 100, "a " * 101, "b\nc", "d", "e")  # (two are cut to the same text)
    line = advice_of(refused(queries=queries), DOCUMENTS)

    assert "\n" not in line
    assert "'b c', 'd' and 2 more in 2 documents" in line
    assert len(line) < 400


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is the warna of the pompa red?", ("warna", "pompa")),
        ("\u8f6f\u7ba1\u662f\u4ec0\u4e48\u989c\u8272\uff1f", ()),
        ("Is ML-KEM-768 red?", ("ML-KEM-768",)),
        ("???", ()),
    ],
)
def test_words_that_no_chunk_holds(question: str, words: tuple[str, ...]) -> None:
    assert words == words_not_held(question, NEAR_IT)


LEAVE = "Each clerk gets 25 days of paid leave."


def conflicts(
    said: str,
    other: str,
    quote: str = "",
    *,
    verdict: str = "supported",
    doc_id: str = "rules 2024",
) -> tuple[Conflict, ...]:
    """Return the conflicts of a sentence whose `quote` stands in one document with another one."""
    quote = quote or said
    chunks = [chunk(quote, 0, "rules 2023"), chunk(f"It rains. {other}", 1, doc_id)]
    return conflicts_of([replace(cited(said, quote), verdict=verdict)], evidence(*chunks))  # type: ignore[arg-type]  # (a verdict)


def cited(said: str, quote: str) -> Claim:
    return Claim(said, ("c1",), (Quote(1.0, quote, 0, len(quote)),), "supported")


def evidence(*chunks: Chunk) -> list[Evidence]:
    return [Evidence(f"c{at}", Hit(one)) for at, one in enumerate(chunks, 1)]


def test_both_values_and_places_are_told() -> None:
    others = [chunk(LEAVE.replace("25", "30"), at, "rules 2024") for at in (1, 2)]
    first = chunk(LEAVE, 0, "rules 2023")
    (found,) = conflicts_of([cited(LEAVE, LEAVE)], evidence(first, *others))

    assert ("25", "c1", "rules 2023") == (found.value, found.key, found.doc_id)
    assert ("30", "c2", "rules 2024") == (found.other_value, found.other_key, found.other_doc_id)
    assert "Each clerk gets 30 days of paid leave." == found.other_quote


def test_rows_with_the_same_head() -> None:
    said, row = "Ulm North Market has 25 apples.", "Ulm North Market | 25 | 40"
    tables = [
        f"Table 1. Stock\nshop | apples | pears\nUlm North Market | {n} | 40" for n in (25, 26)
    ]
    read, same = (replace(chunk(text, 0, text[-7:]), kind="table") for text in tables)
    headed = replace(same, text=same.text.replace("apples", "barrels"))
    claim = cited(said, row)

    assert ["26"] == [one.other_value for one in conflicts_of([claim], evidence(read, same))]
    assert () == conflicts_of([claim], evidence(read, headed))


def test_two_things_of_a_kind_are_no_conflict() -> None:
    """What the sentence names stands in the headings alone."""
    text = "It reaches at most {} degrees within an hour."
    hot, mild = (
        replace(chunk(text.format(n), at, f"page {at}"), section=(f"Oven {name}",))
        for at, (n, name) in enumerate([(250, "Berta"), (240, "Anna")])
    )
    said = cited("Oven Berta reaches 250 degrees.", hot.text)

    assert () == conflicts_of([said], evidence(hot, mild))
    (found,) = conflicts_of([said], evidence(hot, replace(mild, section=hot.section)))
    assert ("250", "240") == (found.value, found.other_value)


@pytest.mark.parametrize(
    "other",
    [
        LEAVE,
        "Each clerk gets 30 days of unpaid sick leave.",
        "Each clerk gets 30 days of paid leave in 2024.",
        "Each manager earns 30 euros a day.",
        "Each clerk gets paid leave.",
        "Jeder Angestellte hat 30 Tage Urlaub.",
        "",
    ],
)
def test_what_is_no_conflict(other: str) -> None:
    assert () == conflicts(LEAVE, other)


def test_what_is_not_compared() -> None:
    other = LEAVE.replace("25", "30")

    assert () == conflicts(LEAVE, other, doc_id="rules 2023")
    assert () == conflicts(LEAVE, other, verdict="unconfirmed")
    assert () == conflicts("Each clerk gets paid leave.", other, LEAVE)
    assert () == conflicts("25.", "30.")
