"""Questions with a known answer are asked with and without it."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.errors import ModelUnavailableError
from research_agent.ports import Ports
from research_agent.types import Chunk, Hit
from research_agent.types.budget import Allowance
from research_agent.types.question_words import ENGLISH
from research_agent.types.scope import Scope
from research_agent.verification.calibration.step import AskedQuestion, calibrate
from tests.fakes import PROMPTS, CountingClock, MemoryChunks, ScriptedChat, ports, says

TEXTS = (
    "ML-KEM is a set of three algorithms. " * 8,
    "Bread Oven is a place where bread is baked. " * 8,
    "Short.",
)
CHUNKS = [Chunk(f"c{number}", "guide", text) for number, text in enumerate(TEXTS)]
PLENTY = Allowance(100, 0, 100_000, 10_000.0)


def search(question: str, scope: Scope) -> list[Hit]:
    """Return the chunks with the words of a question first."""
    found = [chunk for chunk in CHUNKS if scope.admits(chunk)]
    ranked = sorted(found, key=lambda c: -sum(word in c.text for word in question.split()))
    return [Hit(chunk) for chunk in ranked]


def assess(question: str, hits: Sequence[Hit]) -> float:
    """Return the share of a question's words in the best hit."""
    words = question.strip("?").split()
    return sum(word in hits[0].chunk.text for word in words) / len(words)


def run(
    given: Ports, *, by_model: bool, allowance: Allowance = PLENTY, most: int = 9
) -> tuple[tuple[AskedQuestion, ...], Sequence[str], int]:
    done = calibrate(
        CHUNKS,
        most=most,
        first=1,
        by_model=by_model,
        words=[ENGLISH],
        search=search,
        assess=assess,
        allowance=allowance,
        ports=replace(given, chunks=MemoryChunks(CHUNKS)),
        prompt=PROMPTS.calibrate,
    )
    return done.value, done.event.notes, len(done.event.calls)


def test_rules_ask_no_model() -> None:
    """Each question is asked twice; short chunks are passed over."""
    planner = ScriptedChat(says("never"))

    asked, notes, calls = run(ports(planner, planner), by_model=False)

    assert ["What is ML-KEM?", "What is Bread Oven?"] == [one.question.text for one in asked]
    assert [True, True] == [one.observed.right for one in asked]
    assert all(one.left_out < one.observed.confidence for one in asked)
    assert ((), 0, []) == (notes, calls, planner.asked)


def test_model_writes_the_questions_and_the_same_one_counts_once() -> None:
    """What is asked for is one question for one chunk, whose text is data."""
    planner = ScriptedChat(says('{"question": "What is done in a Bread Oven?"}'))

    asked, notes, calls = run(ports(planner, planner), by_model=True)

    assert [("What is done in a Bread Oven?", "model", False)] == [
        (one.question.text, one.question.by, one.observed.right) for one in asked
    ]
    assert ((), 2) == (notes, calls)
    assert "<text>\nML-KEM is a set" in planner.asked[0][1]


def test_rules_stand_in_for_a_model_that_fails() -> None:
    """It is not asked again, and that is told."""
    planner = ScriptedChat(ModelUnavailableError("the server is down"))

    asked, notes, calls = run(ports(planner, planner), by_model=True)

    assert ["definition", "definition"] == [one.question.by for one in asked]
    assert (1, ("calibrate: the server is down; further questions were made by rules",)) == (
        calls,
        tuple(notes),
    )


def test_replies_that_are_no_questions_make_none() -> None:
    """They are passed over; every chunk is tried."""
    planner = ScriptedChat(says("I would rather not."))

    asked, notes, calls = run(ports(planner, planner), by_model=True)

    assert ((), (), 2) == (asked, tuple(notes), calls)


def test_it_ends_with_the_time_and_with_the_number() -> None:
    """What was asked until then is kept, and a note says so."""
    planner = ScriptedChat(says("never"))
    slow = replace(ports(planner, planner), clock=CountingClock())

    asked, notes, _ = run(slow, by_model=False, allowance=replace(PLENTY, seconds=2.0))
    first, _, _ = run(ports(planner, planner), by_model=False, most=1)

    assert ["calibrate: the time was over after 1 questions"] == list(notes)
    assert (1, 1) == (len(asked), len(first))
