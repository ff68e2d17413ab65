"""Questions made from chunks are such as a person could ask, and are asked of the index."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.context import RunContext
from research_agent.errors import ModelUnavailableError
from research_agent.ports import Ports
from research_agent.settings import EvidenceSettings, Settings
from research_agent.types import Chunk, Hit
from research_agent.types.budget import Allowance
from research_agent.verification.made_questions import (
    AskedQuestion,
    answering,
    ask_made_questions,
    by_headings,
    read_question,
)
from tests.fakes import PROMPTS, CountingClock, MemoryChunks, ScriptedChat, ports, says

HERE = frozenset({"c"})
CHUNKS = [
    Chunk("c0", "guide", "ML-KEM is a set of three algorithms. " * 8, section=("Sets of the KEM",)),
    Chunk("c1", "guide", "A Bread Oven is a place to bake. " * 8, section=("Oven for the bread",)),
    Chunk("c2", "guide", "Short.", section=("What is too short",)),
    Chunk("c3", "guide", "Contents ... 7 " * 20, kind="contents"),
]
PLENTY = Allowance(100, 0, 100_000, 10_000.0)
SETTINGS = Settings(evidence=EvidenceSettings(max_chunks=1))


def search(question: str) -> tuple[list[Hit], float]:
    """Return the chunks with the words of a question first, and the share of them in the best."""
    words = question.strip("?").split()
    ranked = sorted(CHUNKS, key=lambda c: -sum(word in c.text for word in words))
    return [Hit(chunk) for chunk in ranked], sum(w in ranked[0].text for w in words) / len(words)


def run(
    given: Ports, *, by_model: bool, allowance: Allowance = PLENTY, most: int = 9
) -> tuple[tuple[AskedQuestion, ...], Sequence[str], int]:
    chunks = replace(given, chunks=MemoryChunks(CHUNKS))
    context = RunContext(chunks, SETTINGS, PROMPTS).within(allowance)
    done = ask_made_questions(CHUNKS, context, most=most, by_model=by_model, search=search)
    return done.value, done.event.notes, len(done.event.calls)


def test_headings_ask_no_model() -> None:
    """Short chunks and boilerplate are passed over."""
    planner = ScriptedChat(says("never"))
    asked, notes, calls = run(ports(planner, planner), by_model=False)

    assert ["Sets of the KEM", "Oven for the bread"] == [one.question.text for one in asked]
    assert [True, True] == [one.observed.right for one in asked]
    assert ((), 0, []) == (notes, calls, planner.asked)


def test_model_writes_the_questions_and_the_same_one_counts_once() -> None:
    planner = ScriptedChat(says('{"question": "What is done in a Bread Oven?"}'))
    asked, notes, calls = run(ports(planner, planner), by_model=True)

    assert [("What is done in a Bread Oven?", "model", False)] == [
        (one.question.text, one.question.by, one.observed.right) for one in asked
    ]
    assert ((), 2) == (notes, calls)
    assert "<text>\nML-KEM is a set" in planner.asked[0][1]


def test_headings_stand_in_for_a_model_that_fails() -> None:
    planner = ScriptedChat(ModelUnavailableError("the server is down"))
    asked, notes, calls = run(ports(planner, planner), by_model=True)
    mute = ScriptedChat(says("I would rather not."))

    assert ["heading", "heading"] == [one.question.by for one in asked]
    assert ["calibrate: the server is down; further questions were made by rules"] == list(notes)
    assert 1 == calls
    assert ((), (), 2) == run(ports(mute, mute), by_model=True)


def test_it_ends_with_the_time_and_with_the_number() -> None:
    planner = ScriptedChat(says("never"))
    slow = replace(ports(planner, planner), clock=CountingClock())
    asked, notes, _ = run(slow, by_model=False, allowance=replace(PLENTY, seconds=2.0))
    first, _, _ = run(ports(planner, planner), by_model=False, most=1)

    assert ["calibrate: the time was over after 1 questions"] == list(notes)
    assert (1, 1) == (len(asked), len(first))


def test_section_and_neighbours_answer_too() -> None:
    here = [Chunk(f"c{i}", "d", "", section=("A",) if i in {2, 5} else ("B",)) for i in range(7)]
    placed = [replace(one, order=i) for i, one in enumerate(here)]
    bare = [replace(one, section=()) for one in placed]

    assert {"c1", "c2", "c3", "c5"} == answering(placed[2], placed)
    assert {"c1", "c2", "c3"} == answering(bare[2], bare)


@pytest.mark.parametrize(
    ("section", "question"),
    [
        (("1 Guide", "1.2 Choosing a parameter set"), "Guide: Choosing a parameter set"),
        (("密钥封装机制的参数选择",), "密钥封装机制的参数选择"),  # characters count, not words
        ((), None),
        (("Introduction",), None),
        (("4.2", "7"), None),
    ],
)
def test_headings_are_a_question(section: tuple[str, ...], question: str | None) -> None:
    """Their numbers go; one common word, or numbers, could stand above anything."""
    made = by_headings(Chunk("c", "d", "Text.", section=section), HERE)

    assert question == (made.text if made else None)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ('Sure: {"question": "How long\\nis a   key?"}', "How long is a key?"),
        ("", None),
        ("What is a key?", None),
        ('{"question": 7}', None),
        ('{"question": "Why?"}', None),
        ('{"question": "What is described in this passage about keys?"}', None),
        ('{"question": "' + "very " * 60 + 'long?"}', None),
        ('{"question": "cut off', None),
    ],
)
def test_replies(reply: str, question: str | None) -> None:
    made = read_question(HERE, reply)

    assert question == (made.text if made else None)
