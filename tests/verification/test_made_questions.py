"""Questions made from chunks are such as a person could ask."""

from dataclasses import replace

import pytest

from research_agent.types import Chunk
from research_agent.types.question_words import ENGLISH, QuestionWords
from research_agent.verification.calibration.made_questions import (
    answering,
    by_rules,
    can_be_asked_about,
    read_question,
)

GERMAN = QuestionWords(
    language="german", definition=("was ist",), articles=("ein", "eine"), defines=("ist ein",)
)


HERE = frozenset({"c"})


def chunk(text: str, *section: str, chunk_id: str = "c", doc_id: str = "d") -> Chunk:
    return Chunk(chunk_id, doc_id, text, section=section)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Keys matter. The ML-KEM standard is a set of three algorithms.", "ML-KEM standard"),
        ("Fault Injection Attack means a wrong voltage.", "Fault Injection Attack"),
        ("It is a set. This is the end. There is a way.", None),
        ("a pump is a machine", None),
    ],
)
def test_what_a_sentence_defines_is_asked_for(text: str, question: str | None) -> None:
    """Pronouns and plain words are no terms."""
    made = by_rules(chunk(text), HERE, [ENGLISH])

    assert (f"What is {question}?" if question else None) == (made.text if made else None)


def test_every_language_of_the_settings_is_tried() -> None:
    """Its own words say what a definition is, and how one asks for it."""
    made = by_rules(chunk("Ein Gitter ist ein Netz."), HERE, [ENGLISH, GERMAN])

    assert made
    assert "Was ist Gitter?" == made.text


def test_headings_are_a_question() -> None:
    """Their numbers go."""
    made = by_rules(chunk("Text.", "1 Guide", "1.2 Choosing a parameter set"), HERE, [ENGLISH])

    assert made
    assert ("Guide: Choosing a parameter set", HERE) == (made.text, made.golds)


def test_section_and_neighbours_answer_too() -> None:
    """Chunks of other sections further away do not; without headings only neighbours do."""
    here = [Chunk(f"c{i}", "d", "", section=("A",) if i in {2, 5} else ("B",)) for i in range(7)]
    placed = [replace(one, order=i) for i, one in enumerate(here)]
    bare = [replace(one, section=()) for one in placed]

    assert {"c1", "c2", "c3", "c5"} == answering(placed[2], placed)
    assert {"c1", "c2", "c3"} == answering(bare[2], bare)


@pytest.mark.parametrize("section", [(), ("Introduction",), ("4.2", "7")])
def test_headings_that_say_nothing_make_no_question(section: tuple[str, ...]) -> None:
    """One common word, or numbers, could stand above anything."""
    assert by_rules(chunk("Text.", *section), HERE, [ENGLISH]) is None


def test_headings_in_a_script_without_spaces_make_one() -> None:
    """Characters count there, not words."""
    made = by_rules(chunk("文", "密钥封装机制的参数选择"), HERE, [ENGLISH])

    assert made
    assert "密钥封装机制的参数选择" == made.text


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "What is a key?",
        "[]",
        '{"question": 7}',
        '{"question": "Why?"}',
        '{"question": "What is described in this passage about keys?"}',
        '{"question": "' + "very " * 60 + 'long?"}',
        '{"question": "cut off',
    ],
)
def test_replies_that_hold_no_question_are_passed_over(reply: str) -> None:
    """Prose, other types, fragments, essays, and what points at a text nobody has seen."""
    assert read_question(HERE, reply) is None


def test_a_written_question_is_one_line() -> None:
    """Space is evened out; the chunk is its only answer."""
    made = read_question(HERE, 'Sure: {"question": "How long\\nis a   key?"}')

    assert made
    assert ("How long is a key?", frozenset({"c"}), "model") == (made.text, made.golds, made.by)


def test_short_chunks_and_parts_of_apis_are_not_asked_about() -> None:
    """They say too little for a question with one answer."""
    long = "A sentence about keys. " * 20

    assert can_be_asked_about(chunk(long))
    assert not can_be_asked_about(chunk("A sentence."))
    assert not can_be_asked_about(Chunk("c", "d", long, kind="contents"))
