"""Follow-ups: which question is asked, what is known, and what is not read again."""

import json
from dataclasses import replace

import pytest

from research_agent.conversation.turns import known_chunks
from research_agent.interfaces.chat.text import understood
from research_agent.settings import BudgetSettings, FilterSettings
from research_agent.types.conversation import MORE
from tests.fakes import BYPASSING, GOOD, QUESTION, TEXTS, ScriptedChat, ports, says
from tests.graphs.talking import SMALL, SMALLER, chat, completes, say

ONE_ROUND = replace(BYPASSING, budget=BudgetSettings(rounds=1))
BOTH = "Which is larger, the ML-KEM-768 or the ML-KEM-512 encapsulation key?"
BAKED = "Bread is baked at 230 degrees [c1]."


def read_by(answerer: ScriptedChat) -> str:
    return [text for role, text, _ in answerer.asked if role == "answer"][-1]


def test_comparison_reads_what_both_answers_cited() -> None:
    notes = [f"ML-KEM note {number}: which encapsulation key is larger." for number in range(9)]
    answerer = ScriptedChat(says(GOOD), says(SMALL), says("Neither [c1]."))
    planner = completes(SMALLER, BOTH)
    graph = chat(ports(answerer, planner, texts=[*TEXTS, *notes]), ONE_ROUND)
    turn = say(graph, QUESTION, "and for ML-KEM-512?", "Which of the two is larger?").turns[2]
    read = read_by(answerer)

    assert ("model", BOTH) == (turn.how, turn.question)
    assert "encapsulation key of 1184 bytes" in read
    assert "encapsulation key of 800 bytes" in read


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Which of the two is larger?", ""),
        ("Is ML-DSA-65 larger?", "nobody has said: ml dsa 65"),
    ],
)
def test_comparison_that_no_rewrite_names_is_asked_with_both_names(reply: str, reason: str) -> None:
    about = ["ML-KEM-768", "ML-KEM-512", "ML-DSA-65"]
    planner = ScriptedChat(
        says(json.dumps({"question": SMALLER})),
        says(json.dumps({"about": about, "question": reply, "more": False})),
    )
    graph = chat(ports(ScriptedChat(says(GOOD), says(SMALL), says(GOOD)), planner))
    turn = say(graph, QUESTION, "and for ML-KEM-512?", "Which of the two is larger?").turns[2]

    whole = "Which of the two is larger? (ML-KEM-768, ML-KEM-512)"
    assert ("model", whole, reason) == (turn.how, turn.question, turn.reason)


def test_comparison_after_a_refusal() -> None:
    """What the last answer that cited something read is known; a refusal has nothing to know."""
    answerer = ScriptedChat(says(GOOD), says("not found in provided docs"), says(GOOD))
    graph = chat(ports(answerer, completes(SMALLER, BOTH)), ONE_ROUND)
    refused = say(graph, QUESTION, "and for ML-KEM-512?").turns[1]
    state = say(graph, "Which of the two is larger?")

    assert ("refused", ()) == (refused.status, refused.citations)
    assert ("guide-0",) == known_chunks(state.asked, state.turns[:2])
    assert {"guide-0", "guide-1"} <= set(state.ledger.seen)


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (f"{QUESTION[:-1]} beside?", f"{QUESTION[:-1]} beside?"),
        (QUESTION, QUESTION),
        ("what else?", f"{QUESTION} what else?"),
    ],
)
def test_what_else_leaves_out_what_was_cited(reply: str, asked: str) -> None:
    answerer = ScriptedChat(says(GOOD), says(SMALL), says(GOOD))
    planner = ScriptedChat(
        says(json.dumps({"question": reply, "more": True})),
        says(json.dumps({"question": "And how many bytes?", "more": False})),
    )
    graph = chat(ports(answerer, planner), ONE_ROUND)
    turn = say(graph, QUESTION, "what else?").turns[1]
    read = read_by(answerer)
    say(graph, "And how many bytes?")

    assert asked == turn.question
    assert f"asked: {asked} (model: {MORE})" == understood(turn)
    assert (f"follow_up: {MORE}",) == turn.warnings[:1]
    assert "1184 bytes" not in read
    assert "800 bytes" in read
    assert "1184 bytes" in read_by(answerer)


@pytest.mark.parametrize(
    ("asked", "about", "how"),
    [
        ("How long is bread baked?", ["bread"], "new"),
        ("What else has an encapsulation key?", ["encapsulation key"], "model"),
        ("What else?", ["what else"], "model"),
    ],
)
def test_more_of_what_the_question_names_itself(asked: str, about: list[str], how: str) -> None:
    """It is asked as it is; what was cited is left out only where an earlier question names it."""
    reply = {"about": about, "question": asked, "more": True}
    planner = ScriptedChat(says(json.dumps(reply)))
    graph = chat(ports(ScriptedChat(says(GOOD), says(BAKED)), planner), ONE_ROUND)
    turn = say(graph, QUESTION, asked).turns[1]

    whole = asked if about[0] in asked else f"{QUESTION} {asked}"
    assert (how, whole, how == "model") == (turn.how, turn.question, turn.reason == MORE)


def test_what_else_asked_again_as_it_was_understood_leaves_nothing_out() -> None:
    """As `/retry` does: the rest of the answer may stand where its beginning stood."""
    answerer = ScriptedChat(says(GOOD), says("not found in provided docs"), says(GOOD))
    graph = chat(ports(answerer, completes(f"{QUESTION[:-1]} beside?", more=True)), ONE_ROUND)
    more = say(graph, QUESTION, "what else?").turns[1]
    again = say(graph, more.question).turns[2]

    assert ("refused", "answered", ()) == (more.status, again.status, again.warnings)
    assert "1184 bytes" in read_by(answerer)


def test_more_of_another_thing_is_another_question() -> None:
    answerer = ScriptedChat(says(GOOD), says(SMALL))
    graph = chat(ports(answerer, completes(SMALLER, more=True)))
    turn = say(graph, QUESTION, "and for ML-KEM-512?").turns[1]

    assert ((), SMALLER) == (turn.warnings, turn.question)
    assert "1184 bytes" in read_by(answerer)


def test_what_else_leaves_out_what_the_filter_discarded() -> None:
    filtered = replace(ONE_ROUND, filter=FilterSettings(mode="llm"))
    verdicts = ScriptedChat(
        *(says(f"k1 -> {verdict}\nk2 -> DISCARD") for verdict in ("KEEP", "KEEP", "KEEP"))
    )  # (the third hit is too far off)
    planner = ScriptedChat(
        says(json.dumps({"question": QUESTION, "more": True})),
        says(json.dumps({"question": SMALLER, "more": False})),
    )
    answerer = ScriptedChat(says(GOOD), says(BAKED), says(SMALL))
    graph = chat(ports(answerer, planner, filterer=verdicts), filtered)
    first = say(graph, QUESTION).ledger
    more = say(graph, "what else?")
    say(graph, "and for ML-KEM-512?")

    assert ("guide-1", "guide-2") == first.discarded
    assert "refused" == more.turns[1].status
    assert {"guide-0"} == set(more.ledger.seen)
    assert "800 bytes" in read_by(answerer)
