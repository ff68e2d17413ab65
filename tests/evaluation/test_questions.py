"""Question sets: what is read, and what is refused with its line."""

import json
import re

import pytest

from research_agent.errors import QuestionSetError
from research_agent.evaluation.questions import Question, check_against, read_questions, sampled
from research_agent.evaluation.ranking import Gold, Span
from research_agent.evaluation.review import csv_text, json_lines
from research_agent.types.records import DocumentOutline
from tests.fakes import chunk

PAGED = {"doc_id": "guide", "start_page": 3, "end_page": 4, "quote": "a hose"}
GOOD = {"qid": "q1", "question": "How long?", "gold": [PAGED], "required_facts": [["5 m"]]}


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def test_a_question_is_read_with_all_it_says_and_written_again() -> None:
    quoted = {"doc_id": "notes", "quote": "the hose is 5 m long"}
    rows = [
        GOOD | {"gold": [PAGED, PAGED]},
        {"question": "How wide?", "gold": [[PAGED, quoted]], "kind": "table"},
        {"question": "Why?", "answerable": False, "gold": [], "why": "not told"},
        {"question": "Where?", "accepted_pages": [{"doc_id": "guide", "page": 2}]},
    ]

    found = read_questions(lines(*rows), "set.jsonl")

    # (a place that is named twice is one gold)
    assert found[0].golds == (Gold((Span("guide", 3, 4, "a hose"),)),)
    assert found[1].golds[0].spans[1] == Span("notes", 0, 0, "the hose is 5 m long")
    assert (found[1].kind, found[2].answerable, found[2].line) == ("table", False, 3)
    assert found[3].golds == (Gold((Span("guide", 2, 2),)),)
    assert len({one.qid for one in found}) == 4


def test_what_ends_no_row_of_a_table_may_stand_in_a_cell() -> None:
    said = "question,answerable\r\nWhere is\u2028A\x0c now?,no\r\n"
    (found,) = read_questions(json_lines(said, "set.csv"), "set.csv")
    assert ("Where is\u2028A\x0c now?", False) == (found.text, found.answerable)


@pytest.mark.parametrize("answer", ["-v", "'-v' or '+v'", "''=x", "'v'"])
def test_a_text_that_begins_as_a_formula_comes_back_from_a_spreadsheet(answer: str) -> None:
    row = {"question": "How?", "gold_answer": answer, "answerable": True, "gold": []}
    told = csv_text([row])

    assert ",-" not in told
    assert answer == json.loads(json_lines(told, "set.csv"))["gold_answer"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("question\nWho, and how?\n", "row 2: more cells than columns"),
        ("question,answerable\nWho?,nope\n", "answerable is 'nope', and has to be yes or no"),
        ("question,gold\nWho?,guide | 1-x\n", "row 2: gold: pages '1-x'"),
        (f"question\n{'x' * 140_000}\n", "field larger than field limit"),
    ],
)
def test_a_table_with_mistakes_is_refused_by_its_row(table: str, said: str) -> None:
    with pytest.raises(QuestionSetError, match=re.escape(said)):
        json_lines(table, "set.csv")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: no JSON object"),
        ('{"qid": "x"}', "question is missing"),
        ('{"qid": "\\ud800", "question": "A?"}', "surrogates not allowed"),
        ('{"question": "  "}', "question is missing"),
        ('{"question": 5}', "question has to be text"),
        ('{"question": "A?", "answerable": "no"}', "answerable has to be true or false"),
        ('{"question": "A?", "gold": {"doc_id": "x"}}', "gold has to be a list"),
        ('{"question": "A?", "gold": ["x"]}', "an object with a doc_id"),
        ('{"question": "A?", "gold": [{"start_page": 1}]}', "no doc_id"),
        ('{"question": "A?", "gold": [{"doc_id": "x", "start_page": 0}]}', "whole number"),
        ('{"question": "A?", "gold": [{"doc_id": "x", "start_page": 4, "end_page": 3}]}', "4 and"),
        ('{"question": "A?", "required_facts": [[""]]}', "none empty"),
        ('{"question": "A?", "anwserable": false}', "anwserable is not known; answerable is"),
        ('{"question": "A?", "answerable": false, "required_facts": ["5"]}', "unanswerable"),
        ('{"qid": "q1", "question": "A?"}', "qid q1 is also on line 1"),
        ('{"question": "how  LONG?"}', "is also on line 1"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_the_reason(line: str, said: str) -> None:
    with pytest.raises(QuestionSetError, match=r"set\.jsonl has mistakes") as caught:
        read_questions(f"{lines(GOOD)}\n{line}\n", "set.jsonl")

    assert said in str(caught.value)
    assert "line 2" in str(caught.value)


def test_an_empty_set_is_refused_and_of_many_mistakes_ten_are_told() -> None:
    with pytest.raises(QuestionSetError, match="holds no question"):
        read_questions("\n \n", "set.jsonl")
    with pytest.raises(QuestionSetError, match="has mistakes") as caught:
        read_questions("{\n" * 12, "set.jsonl")
    assert "and 2 more" in str(caught.value)


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (Span("guid", 1, 1), "line 7: gold guid is no document of the index"),
        (Span("guide", 9, 9), "no text on page 9: its last page with text is 4"),
        (Span("guide", 0, 0, "a hose of seven metres in red"), "does not hold the quote"),
    ],
)
def test_a_gold_that_the_index_does_not_have_is_refused(span: Span, said: str) -> None:
    question = Question(qid="a", text="A?", golds=(Gold((span,)),), line=7)
    documents = [DocumentOutline("guide", pages=4)]

    with pytest.raises(QuestionSetError, match="has mistakes") as caught:
        check_against([question], documents, lambda _: [chunk("A hose is long.")], "set.jsonl")

    assert said in str(caught.value)


def test_a_quote_may_go_over_two_chunks() -> None:
    question = Question(qid="a", text="A?", golds=(Gold((Span("guide", 0, 0, "hose is long"),)),))
    halves = [chunk("A hose"), chunk("is long.", 1)]

    check_against([question], [DocumentOutline("guide")], lambda _: halves, "set.jsonl")


def test_a_sample_is_part_of_a_larger_one_and_another_seed_draws_others() -> None:
    asked = [Question(qid=str(i), text=f"{i}?") for i in range(40)]

    small, large = sampled(asked, 5, seed=1), sampled(asked, 15, seed=1)

    assert len(small) == 5
    assert set(small) < set(large)
    assert sampled(asked, 5, seed=2) != small
    assert sampled(asked, 0, seed=1) == tuple(asked)
