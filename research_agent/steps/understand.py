"""Understand: what a person says in a conversation, as a question that stands by itself."""

import re
from collections.abc import Sequence

from research_agent.core.conversation import FollowUp, Turn
from research_agent.core.evidence import fenced
from research_agent.core.follow_up import (
    FOLLOW_UP_SCHEMA,
    Said,
    is_unchanged,
    joined,
    read_completed,
    why_refused,
)
from research_agent.core.questions import check_question
from research_agent.core.types import Message
from research_agent.errors import BudgetError, ModelError, QuestionError
from research_agent.metering import Meter, whole
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import Settings

MOST_TURNS = 5
"""Earlier turns that are told to the model."""
LONGEST_ANSWER = 500
"""Characters of an earlier answer that are told."""
ADDED_TOKENS = 120
"""Tokens that a reply may have beside those of the question."""
_KEYS = re.compile(r"\s*\[c\d+\]")


def understand(
    text: str,
    turns: Sequence[Turn],
    *,
    ports: Ports,
    prompt: PromptTemplate,
    settings: Settings,
) -> FollowUp:
    """Return the question that stands for `text` after `turns`.

    The planner model is asked once where there are earlier turns and `sessions.follow_ups` is
    "model". What it writes is used only where `why_refused` has nothing against it. Otherwise the
    text is asked as it was typed, and searched for together with the question before.
    Raises QuestionError for a text that is no question.
    """
    asked = check_question(text)
    if not turns or settings.sessions.follow_ups == "off":
        return FollowUp(asked, asked)
    before = [
        Said(turn.question, _KEYS.sub("", turn.answer)[:LONGEST_ANSWER])
        for turn in turns[-MOST_TURNS:]
    ]
    meter = Meter(whole(settings.budget), tokenizer=ports.tokenizer, clock=ports.clock)
    heard = recent(before, ports, settings.sessions.max_history_tokens)
    completed, problem = "", "sessions.max_history_tokens has no room for the turn before"
    if heard:
        completed, problem = _completed(asked, heard, meter, ports, prompt)
    if problem:
        return FollowUp(asked, asked, "context", problem, meter.calls, joined(asked, before))
    if is_unchanged(asked, completed):
        return FollowUp(asked, asked, calls=meter.calls)
    return FollowUp(asked, completed, "model", calls=meter.calls)


def recent(before: Sequence[Said], ports: Ports, max_tokens: int) -> tuple[Said, ...]:
    """Return the latest turns that fit into `max_tokens` together, oldest first."""
    fitting: list[Said] = []
    left = max_tokens
    for said in reversed(before):
        left -= ports.tokenizer.count(_line(said))
        if left < 0:
            break
        fitting.insert(0, said)
    return tuple(fitting)


def _completed(
    asked: str, heard: Sequence[Said], meter: Meter, ports: Ports, prompt: PromptTemplate
) -> tuple[str, str]:
    """Return the question as the planner model completes it, and why it cannot be used."""
    history = "\n".join(map(_line, heard))
    message = Message("user", prompt.render(history=history, question=asked))
    own = ports.tokenizer.count(asked)
    try:
        reply = meter.ask(
            ports.planner,
            "planner",
            [message],
            max_tokens=own + ADDED_TOKENS,
            least_tokens=own,
            schema=FOLLOW_UP_SCHEMA,
        )
        completed = read_completed(reply.text)
        if is_unchanged(asked, completed):
            return completed, ""
        problem = why_refused(asked, heard, completed)
        return check_question(completed) if not problem else completed, problem
    except (ModelError, BudgetError, QuestionError) as error:
        return "", str(error) or type(error).__name__


def _line(said: Said) -> str:
    return fenced(f"Q: {said.question}\nA: {said.answer}")
