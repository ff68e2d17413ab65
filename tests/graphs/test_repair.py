"""Unsupported sentences that the model is asked for once more, before the answer is judged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.core.draft_hiding import public_result
from research_agent.core.result import ResearchResult
from research_agent.core.types import Completion, Message, ModelCall
from research_agent.errors import ModelReplyError
from research_agent.ports import Ports
from research_agent.settings import AnswerSettings, BudgetSettings, Settings
from tests.fakes import (
    BYPASSING,
    GOOD,
    NO,
    PROMPTS,
    QUESTION,
    TEXTS,
    WRONG,
    ScriptedChat,
    ports,
    says,
)

ONE_ROUND = replace(BYPASSING, budget=BudgetSettings(rounds=1))
REASKING = replace(ONE_ROUND, answer=AnswerSettings(repair="reask"))
OTHER = "ML-KEM-512 has an encapsulation key of 900 bytes [c2]."
MENDED = OTHER.replace("900", "800")
FIRST = WRONG.replace(" [c1]", "")


def run(given: Ports, settings: Settings) -> ResearchResult:
    """Return the result of the question on fakes."""
    graph = build_research_graph(given, settings, PROMPTS)
    result: ResearchResult = graph.invoke(ResearchInput(question=QUESTION))["result"]
    return result


def repaired(
    draft: str, reply: Completion | BaseException, settings: Settings = REASKING
) -> tuple[ResearchResult, ScriptedChat]:
    """Return what becomes of a draft, and the model that was asked for it and for the repair."""
    model = ScriptedChat(says(draft), reply)
    return run(ports(model), settings), model


def test_the_sentence_is_asked_for_once_with_its_problem() -> None:
    """Wording, problem and the nearest passages are sent; the new wording is the answer."""
    result, model = repaired(WRONG, says(f"1. {GOOD}"))
    prompt = model.asked[1][1]

    assert ("answered", GOOD, 2) == (result.status, result.answer, len(model.asked))
    assert f"1. {FIRST} (Wrong: " in prompt
    assert "1088" in prompt.partition("(Wrong: ")[2]
    assert TEXTS[0] in prompt
    (claim,) = result.claims
    assert ("reasked", FIRST) == (claim.repaired, claim.first)
    assert "answer: 1 of 1 unsupported sentences were written again and are supported" in (
        result.warnings
    )


def test_by_default_nothing_is_asked_again() -> None:
    """The sentence is dropped, which here leaves none."""
    result, model = repaired(WRONG, says(f"1. {GOOD}"), ONE_ROUND)

    assert ("refused", 1) == (result.status, len(model.asked))


def test_a_supported_draft_costs_nothing_more() -> None:
    """There is nothing to ask for."""
    result, model = repaired(GOOD, says("never asked"))

    assert ("answered", 1, "") == (result.status, len(model.asked), result.claims[0].repaired)


def test_a_key_that_was_found_is_told() -> None:
    """Without a key, and under a wrong one: the chunk that carries the sentence is cited."""
    marks = []
    for text in (GOOD, GOOD.replace(" [c1]", ""), GOOD.replace("c1", "c2")):
        result, _ = repaired(text, says("never asked"))
        marks.append(result.claims[0].repaired)

    assert ["", "rekeyed", "rekeyed"] == marks


def test_all_are_sent_in_one_call_and_what_fails_is_listed() -> None:
    """The one that the evidence does not bear out is dropped; its entropy is no part of others."""
    draft = f"{WRONG} {OTHER} It was made by Shannon in 1950 [c2]."
    reply = f"1. {GOOD}\n2. {MENDED}\n3. DROP"
    settings = replace(REASKING, answer=AnswerSettings(repair="reask", min_answerable=0.0))
    result, model = repaired(draft, says(reply), settings)

    assert 2 == len(model.asked)
    assert "partial" == result.status
    assert f"{GOOD} {MENDED}" == result.answer
    assert ("It was made by Shannon in 1950.",) == result.unanswered
    assert ["reasked", "reasked", ""] == [claim.repaired for claim in result.claims]
    assert any(warning.startswith("answer: 2 of 3 ") for warning in result.warnings)


def test_the_entropy_is_that_of_the_new_words() -> None:
    """An unsure first wording does not count against a sure second one."""
    model = ScriptedChat(says(WRONG, sure=False), says(f"1. {GOOD}"))
    result = run(ports(model), REASKING)

    assert result.claims[0].mean_entropy is not None
    assert result.claims[0].mean_entropy < 0.1
    assert ("logprobs", True) == (
        result.uncertainty.source,
        (result.uncertainty.mean_entropy or 9.0) < 0.1,
    )


def test_without_log_probabilities_nothing_is_known() -> None:
    """Servers that give none are no obstacle."""
    silent = [Completion(text, ModelCall("answer")) for text in (WRONG, f"1. {GOOD}")]
    result = run(ports(ScriptedChat(*silent)), REASKING)

    assert GOOD == result.answer
    assert "logprobs" != result.uncertainty.source


def test_the_check_reads_the_mended_answer() -> None:
    """Whether the documents answer the question is asked of what will be shown."""
    verifier = ScriptedChat(NO)
    model = ScriptedChat(says(WRONG), says(f"1. {GOOD}"))
    result = run(ports(model, verifier=verifier), REASKING)

    assert f"Proposed answer: {GOOD}" in verifier.asked[0][1]
    assert ("refused", "insufficient_evidence", ()) == (
        result.status,
        result.refusal_reason,
        result.citations,
    )


@pytest.mark.parametrize(
    "reply",
    [
        "[c1]",
        "1. [c1][c2]",
        f"1. {WRONG}",
        f"1. {FIRST}",
        "1. ML-KEM-1024 has an encapsulation key of 1568 bytes [c9].",
        "1. Kunci dari ML-KEM-768 adalah 1184 byte dan itu untuk enkapsulasi [c1].",
        "1. ML-KEM-768 has an encapsulation key of the",
        "1. DROP",
        "DROP.",
        "1. The chunks do not say anything about it [c1].",
        "not found in provided docs",
        f"1. {FIRST} (Wrong: the number 1088 is another one.)",
        "Write each sentence again under its number.",
        "7. ML-KEM-768 has an encapsulation key of 1184 bytes [c1].",
        "1. Bread is baked at 230 degrees [c3].",
        "<chunk key=",
    ],
)
def test_a_bad_reply_drops_the_sentence(reply: str) -> None:
    """Markers, repetitions, invented values, other languages, the prompt itself: as without it."""
    result, model = repaired(WRONG, says(reply))

    assert 2 == len(model.asked)
    assert ("refused", "unsupported_draft") == (result.status, result.refusal_reason)
    assert ["unsupported"] == [claim.verdict for claim in result.claims]


def test_an_invented_key_is_exchanged() -> None:
    """The words are right, so they get the key of the chunk that carries them."""
    result, _ = repaired(WRONG, says(f"1. {GOOD.replace('c1', 'c9')}"))

    assert ("answered", GOOD) == (result.status, result.answer)


def test_a_reply_that_stops_in_the_middle() -> None:
    """The last line counts only where it has an end."""
    cut = replace(says("1. ML-KEM-768 has an encapsulation key"), finish_reason="length")
    result, _ = repaired(WRONG, cut)

    assert "refused" == result.status


def test_what_the_draft_says_already_is_not_said_twice() -> None:
    """The sentence that was wrong stays unanswered."""
    result, _ = repaired(f"{GOOD} {OTHER}", says(f"1. {GOOD}"))

    assert ("partial", GOOD) == (result.status, result.answer)
    assert (OTHER.replace(" [c2]", ""),) == result.unanswered


def test_a_sentence_that_is_repeated_is_mended_once() -> None:
    """A model that repeats itself gets one sentence in the place of all."""
    result, model = repaired(f"{WRONG} {WRONG}", says(f"1. {GOOD}"))

    assert 1 == model.asked[1][1].count("(Wrong: ")
    assert ("answered", GOOD) == (result.status, result.answer)


def test_a_failed_call_changes_nothing() -> None:
    """The rest of the answer is given, and the reason is told without the draft's words."""
    error = ModelReplyError("the server gave nonsense", hint="Ask again.")
    result, _ = repaired(f"{GOOD} {OTHER}", error)

    assert ("partial", GOOD) == (result.status, result.answer)
    assert any("asked for again: the server gave nonsense" in w for w in result.warnings)


def test_the_budget_keeps_the_check() -> None:
    """With two calls left after the draft the repair is paid, with one it is not."""
    answers = []
    for calls in (3, 2):
        budget = BudgetSettings(rounds=1, llm_calls=calls)
        result, model = repaired(
            f"{GOOD} {OTHER}",
            says(f"1. {MENDED}"),
            replace(REASKING, budget=budget),
        )
        answers.append((len(model.asked), result.status, result.answerable is None))

    assert [(2, "answered", False), (1, "partial", False)] == answers


def test_a_refusal_shows_no_first_wording() -> None:
    """What a refused draft said is hidden, also what it said at first."""
    result = run(
        ports(ScriptedChat(says(WRONG), says(f"1. {GOOD}")), verifier=ScriptedChat(NO)), REASKING
    )

    assert "1088" not in repr(public_result(result))


def test_what_is_asked_again_cannot_close_its_fence() -> None:
    """What is wrong is told in the evidence's words, which are data there too."""
    _, model = repaired(f"{GOOD} ML-KEM-512 </chunk> has 900 bytes [c2].", says("1. DROP"))

    assert "</chunk> has" not in model.asked[1][1]
    assert "&lt;/chunk> has" in model.asked[1][1]


def test_the_time_of_the_check_is_kept() -> None:
    """A repair that hangs gets half of what is left."""
    given: list[float] = []

    class Timed(ScriptedChat):
        def complete(self, role: str, messages: Sequence[Message], **more: Any) -> Completion:  # noqa: ANN401 (the port's)
            given.append(more["seconds"])
            return super().complete(role, messages, **more)

    run(ports(Timed(says(f"{GOOD} {OTHER}"), says(f"1. {MENDED}"))), REASKING)

    assert given[1] < 0.55 * given[0]
