"""An answer with one doubtful sentence: it is searched for, and it alone is written again."""

from dataclasses import replace
from typing import Any

import pytest

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.errors import ModelReplyError
from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.types import Completion
from research_agent.types.result import ResearchResult
from research_agent.types.verification import Answer
from tests.fakes import LOOP, PROMPTS, ScriptedChat, ports, says, token

QUESTION = "How is rye bread baked?"
TEXTS = (
    "Rye bread is baked at 230 degrees.",
    "Rye bread is baked for a long time.",
    *(f"Bread note {number}: how it is." for number in range(4)),
    "Rye dough rests a night before it is formed.",
)
FIRST, LAST = (
    "- Rye bread is baked at 230 degrees  [c1].\n",
    "\n- It is baked for a long time [c2].",
)
UNSURE = "- Rye dough rests a fortnight [c1]."
DRAFT = FIRST + UNSURE + LAST
RIGHT = "Rye dough rests a night before it is formed [c7]."
DRAGIN = replace(LOOP, verify=VerifySettings(profile="dragin", regenerate="sentence"))


def draft(*, unsure: str = " fortnight") -> Completion:
    """Return the draft with one word that was a guess."""
    said = says(DRAFT)
    tokens = tuple(
        token(one.text, -1.1, -1.1, -1.2) if one.text == unsure else one for one in said.tokens
    )
    return replace(said, tokens=tokens)


def run(model: ScriptedChat, settings: Settings = DRAGIN) -> tuple[list[Answer], ResearchResult]:
    graph = build_research_graph(ports(model, texts=TEXTS), settings, PROMPTS)
    answers: list[Answer] = []
    last: dict[str, Any] = {}
    for update in graph.stream(ResearchInput(question=QUESTION), stream_mode="updates"):
        last = update
        answers += [update["answer"]["answer"]] if "answer" in update else []
    return answers, last["report"]["result"]


def test_one_sentence_is_searched_for_and_written_again() -> None:
    model = ScriptedChat(draft(), says(RIGHT))
    answers, result = run(model)

    assert [DRAFT, FIRST + "- " + RIGHT + LAST] == [answer.text for answer in answers]
    assert "".join(one.text for one in answers[1].tokens) == answers[1].text
    assert (QUESTION, f"{QUESTION} dough rests") == result.queries
    assert ("answered", "confident", 2) == (result.status, result.stop_reason, result.rounds)
    prompt = model.asked[1][1]
    assert "<doubtful>\nRye dough rests a fortnight.\n</doubtful>" in prompt
    assert "230 degrees  [c1]." in prompt.partition("<answer>")[2]
    again = [claim.text for claim in result.claims if claim.rewritten]
    assert (["Rye dough rests a night before it is formed."], 3) == (again, len(result.claims))


@pytest.mark.parametrize(
    "reply",
    [
        says("not found in provided docs"),
        says("Rye dough rests for 99 years [c7]."),
        says("Rye bread is baked at 230 degrees [c1]."),
        replace(says("Rye dough rests a night before it"), finish_reason="length"),
        ModelReplyError("no"),
    ],
    ids=["refusal", "unsupported", "a sentence that is there", "cut", "error"],
)
def test_reply_of_no_use_loses_nothing(reply: Completion | BaseException) -> None:
    _, result = run(ScriptedChat(draft(), reply))

    assert ("answered", 2) == (result.status, result.rounds)
    assert "Rye dough rests a fortnight" in result.answer
    assert result.stop_reason in {"max_rounds", "error"}
    assert "230 degrees" in result.answer
    assert "long time" in result.answer


def test_sentences_leave_the_check_its_tokens() -> None:
    two = f"{FIRST}{UNSURE}\n- Rye dough is kneaded by hand [c2]."
    counts, warnings = set(), list[str]()
    for tokens in range(500, 1300, 100):
        model = ScriptedChat(says(two), says(RIGHT))
        budget = BudgetSettings(rounds=2, tokens=tokens)
        _, result = run(model, replace(DRAGIN, budget=budget))
        counts.add(len(model.asked))
        warnings += result.warnings

    assert {1, 2, 3} == counts
    assert not any("not checked" in warning for warning in warnings)
