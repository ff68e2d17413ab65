"""The parts of a question, told by rules."""

import pytest

from research_agent.planning.refine.question_parts import (
    is_nested,
    question_parts,
    why_simple,
)
from research_agent.text.language import languages_apart
from research_agent.types.question_words import ENGLISH


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is ML-KEM?", ()),
        ("What is ML-KEM? Who made RSA?", ("What is ML-KEM?", "Who made RSA?")),
        (
            "What is ML-KEM? How large is it?",
            ("What is ML-KEM?", "ML-KEM: How large is it?"),
        ),
        ("What is a pump? Is it? Thanks!", ()),
        ("\u4ec0\u4e48\u662f\u6c34\u6cf5\uff1f\u8c01\u53d1\u660e\u4e86\u7535\u8bdd\uff1f",
         ("\u4ec0\u4e48\u662f\u6c34\u6cf5\uff1f", "\u8c01\u53d1\u660e\u4e86\u7535\u8bdd\uff1f")),
        ("Pumps? Valves? Hoses? Seals?", ("Pumps?", "Valves?", "Hoses?")),
        ("", ()),
    ],
)  # fmt: skip
def test_several_questions_in_one(question: str, parts: tuple[str, ...]) -> None:
    """Each is searched, with the names it is about; at most three."""
    assert parts == question_parts(question)


def test_comparisons_are_cut_where_the_search_does_not() -> None:
    """One part for each of the things compared."""
    asked = "Do ABC and XYZ differ?"

    assert () == question_parts(asked)
    assert 2 == len(question_parts(asked, comparisons=[ENGLISH]))


@pytest.mark.parametrize("question", ["Which pump is it?", "Was ist 5?", "203", "Siemens in Bonn"])
def test_question_with_something_to_word_is_not_simple(question: str) -> None:
    """A noun, a number, an unknown language."""
    assert "" == why_simple(question)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the size?", "The size is what it is."),
        ("ML-KEM-768", "The size is what it is."),
        ("Apa itu?", "1184 1088 768"),
        ("Apa itu?", ""),
    ],
)
def test_one_language_or_an_unknown_one_needs_no_translation(question: str, text: str) -> None:
    """Names and numbers belong to no language."""
    assert ("", "") == languages_apart(question, [text])


@pytest.mark.parametrize(
    ("question", "nested"),
    [
        ("Who is the wife of the man who wrote it?", True),
        ("What is the capital of the state that borders Utah?", True),
        ("Who is Ann\u2019s brother?", True),
        ("In which city was the founders' school?", True),
        ("Siapa istri orang yang menulis buku itu?", True),
        ("\u5199\u8fd9\u672c\u4e66\u7684\u4eba\u7684\u59bb\u5b50\u662f\u8c01", True),
        ("Who wrote it?", False),
        ("Which key is larger?", False),
        ("What is the size of the key of ML-KEM-768?", False),
        ("What's in it, and when it's there?", False),
        ("", False),
    ],
)
def test_questions_that_name_a_thing_by_another(question: str, nested: bool) -> None:  # noqa: FBT001 (expected)
    """Relative pronouns and owners tell; a question word alone does not."""
    assert nested is is_nested(question)
