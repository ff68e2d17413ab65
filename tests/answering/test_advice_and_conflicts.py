"""What a result that is no whole answer says beside it: advice, and conflicts of documents."""

from dataclasses import replace

import pytest

from research_agent.answering.conflicts import conflicts_of
from research_agent.answering.refusal_hint import advice_of, words_not_held
from research_agent.answering.report import result_of
from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit, TraceEvent
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.types.records import DocumentOutline
from research_agent.types.refusals import Refused
from research_agent.types.result import Conflict, ResearchResult
from research_agent.types.verification import Check, Draft
from tests.answering.researched import State
from tests.fakes import chunk

NEAR_IT = (Evidence("c1", Hit(Chunk("x", "guide", "The hose is red.", section=("Hoses",)))),)
DOCUMENTS = (
    DocumentOutline("guide", kinds={"text": 4, "table": 1}),
    DocumentOutline("notes", kinds={"text": 1}),
)
NEAR = "Searched 'the pump', 'a pump' in 2 documents (6 chunks); nearest: guide, section Hoses. "


def refused(
    reason: Refused,
    question: str = "How heavy is the pump?",
    evidence: tuple[Evidence, ...] = NEAR_IT,
) -> ResearchResult:
    state = State(
        question=question,
        check=Check("stop", "refused", "", reason),
        evidence=evidence,
        trace=(TraceEvent(queries=("the pump",)), TraceEvent(queries=("a pump",))),
    )
    return result_of(state, Draft())


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


def test_a_refusal_names_the_limit_or_what_the_model_missed() -> None:
    """The key of the limit is what has to be raised; the model's words precede the question's."""
    spent = replace(refused("budget", evidence=()), queries=(), stop_reason="budget_tokens")
    missed = replace(refused("insufficient_evidence"), unanswered=("", "the price"))

    assert (
        "Nothing was searched. budget.tokens was spent before an answer: raise it, or ask for less."
    ) == advice_of(spent, DOCUMENTS)
    assert advice_of(missed, DOCUMENTS).endswith(
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
    claim = Claim(said, ("c1",), (Quote(1.0, quote, 0, len(quote)),), verdict)  # type: ignore[arg-type]  # (a verdict)
    return conflicts_of([claim], evidence(*chunks))


def evidence(*chunks: Chunk) -> list[Evidence]:
    return [Evidence(f"c{at}", Hit(one)) for at, one in enumerate(chunks, 1)]


def test_both_values_and_places_are_told() -> None:
    """The agent does not decide who is right; a document is told once, however often it says so."""
    claim = Claim(LEAVE, ("c1",), (Quote(1.0, LEAVE, 0, len(LEAVE)),), "supported")
    others = [chunk(LEAVE.replace("25", "30"), at, "rules 2024") for at in (1, 2)]
    (found,) = conflicts_of([claim], evidence(chunk(LEAVE, 0, "rules 2023"), *others))

    assert ("25", "c1", "rules 2023") == (found.value, found.key, found.doc_id)
    assert ("30", "c2", "rules 2024") == (found.other_value, found.other_key, found.other_doc_id)
    assert "Each clerk gets 30 days of paid leave." == found.other_quote


def test_rows_with_the_same_head() -> None:
    """A row of a table with another head speaks of something else."""
    said, row = "Ulm North Market has 25 apples.", "Ulm North Market | 25 | 40"
    tables = [
        f"Table 1. Stock\nshop | apples | pears\nUlm North Market | {n} | 40" for n in (25, 26)
    ]
    cited, same = (replace(chunk(text, 0, text[-7:]), kind="table") for text in tables)
    headed = replace(same, text=same.text.replace("apples", "barrels"))
    claim = Claim(said, ("c1",), (Quote(1.0, row, 0, len(row)),), "supported")

    assert ["26"] == [one.other_value for one in conflicts_of([claim], evidence(cited, same))]
    assert () == conflicts_of([claim], evidence(cited, headed))


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
    """The same value, other words, another number of values, none, another language."""
    assert () == conflicts(LEAVE, other)


def test_what_is_not_compared() -> None:
    """The same document, sentences that are not supported, a value the answer does not say."""
    other = LEAVE.replace("25", "30")

    assert () == conflicts(LEAVE, other, doc_id="rules 2023")
    assert () == conflicts(LEAVE, other, verdict="unconfirmed")
    assert () == conflicts("Each clerk gets paid leave.", other, LEAVE)
    assert () == conflicts("25.", "30.")
