"""Kinds of questions, terms and things compared, from the words alone."""

from dataclasses import replace

import pytest

from research_agent.retrieval.heading_lookup import LookUp
from research_agent.types import ChunkKind
from research_agent.types.question_plan import plan_question
from research_agent.types.question_words import ENGLISH, QuestionWords, phrases

CODE: tuple[ChunkKind, ...] = ("algorithm", "code")
TIDE = ("Tide.Read", "PX-200")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is a tide gate?", "definition"),
        ("define LAT", "definition"),
        ("What does LAT stand for?", "definition"),
        ("Give me Algorithm 2", "look-up"),
        ("What does Table B.3 say?", "look-up"),
        ("show the pseudocode of the sort", "look-up"),
        ("What is max_retry_count?", "look-up"),
        ("How does SampleTide work?", "look-up"),
        ("Why does Tide.Read fail?", "look-up"),
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
    assert kind == plan_question(question, [ENGLISH]).kind


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What is a tide gate?", "tide gate"),
        ("What does \u201cspring tide\u201d mean?", "spring tide"),
        ("Define the LAT and where it is used.", "LAT"),
        ("explain PX-300", "PX-300"),
        ("What is it that makes the pump stop after an hour?", ""),
    ],
)
def test_term_of_a_definition(question: str, term: str) -> None:
    """Without article, quotes and what follows; a description is no term."""
    assert term == plan_question(question, [ENGLISH]).term


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
    """By number or name; an identifier alone may be wanted for anything."""
    assert look_up == plan_question(question, [ENGLISH]).look_up


@pytest.mark.parametrize(
    ("question", "meaning"),
    [
        ("What does LAT mean?", True),
        ("What does LAT stand for ?!", True),
        ("What is LAT?", False),
        ("What are means of transport?", False),
    ],
)
def test_what_a_term_means(question: str, meaning: bool) -> None:  # noqa: FBT001 (a value)
    """A glossary answers it; other questions want more than its entry."""
    assert meaning == plan_question(question, [ENGLISH]).meaning


def test_comparison_asks_for_each_thing_alone() -> None:
    """Each query keeps the question's words; a name inside a longer one is left alone."""
    plan = plan_question("Do PX-20 and PX-200 differ in flow?", [ENGLISH])

    assert ("Do PX-20 and differ in flow?", "Do and PX-200 differ in flow?") == plan.queries
    assert plan.overview


def test_attributes_get_no_overview_pages() -> None:
    """They would push out the tables."""
    assert not plan_question("What are the sizes of ABC and XYZ?", [ENGLISH]).overview


def test_other_languages_are_settings() -> None:
    """The first language that recognises a question plans it; none is needed."""
    german = QuestionWords(definition=("was ist",), articles=("ein", "eine"))

    assert "Schleuse" == plan_question("Was ist eine Schleuse?", [ENGLISH, german]).term
    assert "general" == plan_question("Was ist eine Schleuse?", []).kind
    assert "general" == plan_question("Was ist eine Schleuse?", [QuestionWords()]).kind


def test_words_are_no_patterns() -> None:
    """What a setting holds is found as it is written; `*` alone stands for an ending."""
    odd = replace(ENGLISH, attribute=("c++", "weigh*"))

    assert "attribute" == plan_question("weighing bread", [odd]).kind
    assert "attribute" == plan_question("is it c++ or not", [odd]).kind
    assert "general" == plan_question("is it ccc or not", [odd]).kind
    assert phrases(("how many",)).search("how   many")
