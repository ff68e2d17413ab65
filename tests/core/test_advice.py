"""The line that says what was searched, and what would help."""

from dataclasses import replace

import pytest

from research_agent.core.advice import advice_of, words_not_held
from research_agent.core.answer_language import language_warning
from research_agent.core.calls import Found
from research_agent.core.claims import Claim
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.corpus import DocumentOutline
from research_agent.core.evidence import Evidence
from research_agent.core.refinement import Refinement
from research_agent.core.refusals import Refused
from research_agent.core.result import ResearchResult, research_result
from research_agent.core.types import Chunk, Hit, TraceEvent
from research_agent.core.verification import Check, Draft

EVIDENCE = (Evidence("c1", Hit(Chunk("x", "guide", "The hose is red.", section=("Hoses",)))),)
ASKED = "How long is the hose?"
SELANG = "Berapa panjang selang itu?"
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
            "What the model wrote stands in none of them: ask for one thing only.",
        ),
        (
            "wrong_scope",
            "What does RFC 8446 say of pumps?",
            "Nothing there names 'RFC 8446': add documents that do, or ask without it.",
        ),
        (
            "wrong_scope",
            "What is a train from Jakarta to Bandung?",
            "Nothing there names 'Bandung', 'Jakarta': add documents that do, or ask without it.",
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


def test_partial_and_whole_answers() -> None:
    """A whole answer needs no advice."""
    result = refused("insufficient_evidence")
    partial = replace(result, status="partial", unanswered=("It weighs 5 kg.",))

    assert NEAR + "1 sentence left out: ask for that part alone, or add documents on it." == (
        advice_of(partial, DOCUMENTS)
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
        ("Apa warna pompa itu?", ("warna", "pompa")),
        ("\u8f6f\u7ba1\u662f\u4ec0\u4e48\u989c\u8272\uff1f", ()),
        ("Is ML-KEM-768 red?", ("ML-KEM-768",)),
        ("???", ()),
    ],
)
def test_words_that_no_chunk_holds(question: str, words: tuple[str, ...]) -> None:
    """Function words of the question's language say nothing; Chinese has no words apart."""
    assert words == words_not_held(question, EVIDENCE)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        (ASKED, "The hose is 5 m long [c1].", False),
        (SELANG, "Panjang selang itu adalah 5 m [c1].", False),
        (ASKED, "软管长五米并且颜色是红色", True),
        ("软管有多长", "The hose is 5 m long, and it is red.", True),
        ("软管有多长", "ML-KEM-768 [c1].", False),
        (ASKED, "Длина этого шланга пять метров.", True),
        ("ML-KEM-768?", "ML-KEM-768 [c1].", False),
        (ASKED, "1184", False),
        (ASKED, "", False),
    ],
)
def test_script_of_the_answer(question: str, answer: str, told: bool) -> None:  # noqa: FBT001
    """A warning where one is in Latin letters and the other is not."""
    assert told == language_warning(question, answer).startswith("answer_language: ")


def test_warning_is_part_of_the_result() -> None:
    """It stands among the warnings of an answer, not of a refusal."""
    claim = Claim("Этот шланг красный и длинный.", ("c1",), verdict="supported")
    told = research_result(
        "Is the hose red?",
        best=Draft(1, (replace(claim, keys=()),)),
        check=Check(),
        evidence=(),
        confidence=RetrievalConfidence(),
        refinement=Refinement(),
        found=Found(),
        rounds=1,
        trace=(),
    )

    warning = "answer_language: the question and the answer are in different scripts"
    assert (warning,) == told.warnings
    assert () == refused("no_evidence").warnings
