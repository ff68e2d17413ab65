"""Kinds of questions, terms and things compared, from the words alone."""

import pytest

from research_agent.types import ChunkKind
from research_agent.types.question_plan import LookUp, plan_question
from research_agent.types.question_words import phrases

CODE: tuple[ChunkKind, ...] = ("algorithm", "code")
TIDE = ("Tide.Read", "PX-200")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is a tide gate?", "definition"),
        ("define LAT", "definition"),
        ("What does LAT stand for?", "definition"),
        ("Give me Algorithm 2", "look-up"),
        ("show the pseudocode of the sort", "look-up"),
        ("What is max_retry_count?", "look-up"),
        ("How does SampleTide work?", "look-up"),
        ("What is the size of a PX-200?", "attribute"),
        ("How many bytes has a PX-200 packet?", "attribute"),
        ("What is the difference between PX-200 and PX-300?", "comparison"),
        ("PX-200 vs. PX-300", "comparison"),
        ("Which water may PX-100, PX-200, and PX-300 move?", "comparison"),
        ("Which water may the PX-100 of the LAT move on a PX-300?", "general"),
        ("Why is rye baked longer?", "overview"),
        ("Tell me about bread", "overview"),
        ("Which pump can stay in salt water?", "general"),
        ("What is the best way to get from the harbour to the station?", "general"),
        ("", "general"),
        ("何ですか", "general"),
    ],
)
def test_kind_of_question(question: str, kind: str) -> None:
    """Look-ups before attributes, these before comparisons, definitions and overviews."""
    assert kind == plan_question(question).kind


@pytest.mark.parametrize(
    ("question", "term", "meaning"),
    [
        ("What is a tide gate?", "tide gate", False),
        ("What does \u201cspring tide\u201d mean?", "spring tide", True),
        ("What does LAT stand for ?!", "LAT", True),
        ("Define the LAT and where it is used.", "LAT", False),
        ("explain PX-300", "PX-300", False),
        ("What is it that makes the pump stop after an hour?", "", False),
        ("What are means of transport?", "means", False),
    ],
)
def test_term_of_a_definition_and_whether_its_meaning_is_asked_for(
    question: str, term: str, *, meaning: bool
) -> None:
    """Without article, quotes and what follows; a description is no term.

    A glossary answers what a term means; other questions want more than its entry.
    """
    plan = plan_question(question)

    assert (term, meaning) == (plan.term, plan.meaning)


@pytest.mark.parametrize(
    ("question", "look_up"),
    [
        ("Give me Algorithm 2 Ebb_All", LookUp(CODE, "Algorithm 2", ("Ebb_All",))),
        ("What are the steps of  algorithm  A.2?", LookUp(CODE, "algorithm A.2")),
        ("What does Table B.3 say?", LookUp(("table",), "Table B.3")),
        ("Show me the SampleTide algorithm.", LookUp(CODE, names=("SampleTide",))),
        ("What are the inputs of Tide.Read on a PX-200?", LookUp(CODE, names=TIDE)),
        ("Why does Tide.Read fail?", None),
        ("Show me section 5.2 of the PX-200 manual", None),
        ("Which algorithm is the fastest?", None),
        ("How many steps has the stair?", None),
    ],
)
def test_algorithm_or_table_that_is_named(question: str, look_up: LookUp | None) -> None:
    assert look_up == plan_question(question).look_up


def test_comparison_asks_for_each_thing_alone() -> None:
    plan = plan_question("Do PX-20 and PX-200 differ in flow?")

    assert ("Do PX-20 and differ in flow?", "Do and PX-200 differ in flow?") == plan.queries
    assert plan.overview
    assert not plan_question("What are the sizes of ABC and XYZ?").overview


def test_words_are_no_patterns() -> None:
    """A word is found as it is written, over any space; `*` alone is any ending."""
    assert phrases(("how many",)).search("how   many")
    assert [True, True, False, False] == [
        bool(phrases(("c++", "weigh*")).search(text))
        for text in ("is it c++ or not", "weighing bread", "is it ccc or not", "unweighed")
    ]
