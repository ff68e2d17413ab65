"""The line that says what was searched, and what would help."""

from dataclasses import replace

import pytest

from research_agent.answering.refusal_hint import advice_of, words_not_held
from research_agent.types import Chunk, Hit, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.corpus import DocumentOutline
from research_agent.types.evidence import Evidence
from research_agent.types.refinement import Refinement
from research_agent.types.refusals import Refused
from research_agent.types.result import ResearchResult, research_result
from research_agent.types.verification import Check, Draft

EVIDENCE = (Evidence("c1", Hit(Chunk("x", "guide", "The hose is red.", section=("Hoses",)))),)
DOCUMENTS = (
    DocumentOutline("guide", kinds={"text": 4, "table": 1}),
    DocumentOutline("notes", kinds={"text": 1}),
)
NEAR = "Searched 'the pump', 'a pump' in 2 documents (6 chunks); nearest: guide, section Hoses. "


def refused(
    reason: Refused,
    question: str = "How heavy is the pump?",
    evidence: tuple[Evidence, ...] = EVIDENCE,
) -> ResearchResult:
    return research_result(
        question,
        best=Draft(),
        check=Check("stop", "refused", "", reason),
        evidence=evidence,
        confidence=RetrievalConfidence(),
        refinement=Refinement(),
        found=Found(),
        rounds=1,
        trace=(TraceEvent(queries=("the pump",)), TraceEvent(queries=("a pump",))),
    )


@pytest.mark.parametrize(
    ("reason", "question", "advice"),
    [
        (
            "insufficient_evidence",
            "How heavy is the pump?",
            "No passage read holds 'heavy', 'pump': add documents that do, or ask without it.",
        ),
        (
            "insufficient_evidence",
            "Is the hose red?",
            "The passages read do not say it: name the document or the section, or ask for less.",
        ),
        (
            "unsupported_draft",
            "Is the hose red?",
            "The documents do not bear out what the model wrote: ask for one thing only.",
        ),
        (
            "model_failed",
            "Is the hose red?",
            "A model failed: ask again, or see what research-agent doctor says.",
        ),
    ],
)
def test_each_reason_has_its_advice(reason: Refused, question: str, advice: str) -> None:
    """One line: what was searched, in how much, what came nearest, what to do."""
    assert NEAR + advice == advice_of(refused(reason, question), DOCUMENTS)


def test_nothing_found() -> None:
    """An empty index is told from one that holds nothing near."""
    result = refused("no_evidence", evidence=())

    assert (
        "Searched 'the pump', 'a pump' in 2 documents (6 chunks). "
        "Nothing came near: add documents on 'heavy', 'pump', or ask otherwise."
    ) == advice_of(result, DOCUMENTS)
    assert (
        "Searched 'the pump', 'a pump'. "
        "The index is empty: research-agent index PATH adds documents."
    ) == advice_of(result, ())


def test_spent_budget_names_its_limit() -> None:
    """The key of the limit is what has to be raised."""
    result = replace(refused("budget", evidence=()), queries=(), stop_reason="budget_tokens")

    assert (
        "Nothing was searched. budget.tokens was spent before an answer: raise it, or ask for less."
    ) == advice_of(result, DOCUMENTS)


def test_refusal_names_what_the_model_missed() -> None:
    """In its own words, before any word of the question."""
    result = replace(refused("insufficient_evidence"), unanswered=("", "the price"))

    assert advice_of(result, DOCUMENTS).endswith(
        "No passage read holds 'the price': add documents that do, or ask without it."
    )


def test_partial_unconfirmed_and_whole_answers() -> None:
    """A whole answer needs no advice; a part that is missing is named as far as it has a name."""
    result = refused("insufficient_evidence")
    partial = replace(result, status="partial", unanswered=("", "the weight", "the price"))
    nameless = replace(partial, unanswered=("",))

    assert f"{NEAR}Not found: 'the weight', 'the price'; ask for it alone." == (
        advice_of(partial, DOCUMENTS)
    )
    assert advice_of(nameless, DOCUMENTS).endswith(
        "Not found: a part of the question; ask for it alone."
    )
    assert f"{NEAR}Read the nearest passage, or ask for one thing only." == (
        advice_of(replace(result, status="unconfirmed"), DOCUMENTS)
    )
    assert "" == advice_of(replace(result, status="answered"), DOCUMENTS)


def test_long_and_many_texts_stay_one_line() -> None:
    """Queries are cut and counted, line ends are spaces."""
    queries = ("a " * 100, "b\nc", "d", "e", "f")
    line = advice_of(replace(refused("no_evidence"), queries=queries), DOCUMENTS)

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
    """Words that any text has say nothing; Chinese has no words apart."""
    assert words == words_not_held(question, EVIDENCE)
