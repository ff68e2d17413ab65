"""Understand: what a person says in a conversation, as a question that stands by itself."""

import re
from collections.abc import Sequence
from dataclasses import replace

from research_agent.conversation.condense import (
    FOLLOW_UP_SCHEMA,
    Completed,
    Said,
    asks_for_more,
    is_unchanged,
    joined,
    named,
    read_completed,
    why_refused,
)
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter, whole
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import Settings
from research_agent.types import Message
from research_agent.types.conversation import FollowUp, Turn
from research_agent.types.evidence import fenced
from research_agent.types.questions import check_question

MOST_TURNS = 5
"""Earlier turns that are told to the model."""
LONGEST_ANSWER = 500
"""Characters of an earlier answer that are told."""
ADDED_TOKENS = 160
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
    "model". What it writes is used only where `why_refused` has nothing against it. A text that it
    leaves as it is, or completes wrongly, is asked with the things of the conversation behind it
    that the model says it is about; else one completed wrongly is asked together with the question
    before. A question that was asked before is asked again as it is, and no model is asked.
    Raises QuestionError for a text that is no question.
    """
    asked = check_question(text)
    if not turns or settings.sessions.follow_ups == "off":
        return FollowUp(asked, asked)
    if any(is_unchanged(asked, turn.question) for turn in turns):
        return FollowUp(asked, asked)
    before = [
        Said(turn.question, _KEYS.sub("", turn.answer)[:LONGEST_ANSWER])
        for turn in turns[-MOST_TURNS:]
    ]
    meter = Meter(whole(settings.budget), tokenizer=ports.tokenizer, clock=ports.clock)
    reply, failed = Completed(), "sessions.max_history_tokens has no room for the turn before"
    if heard := recent(before, ports, settings.sessions.max_history_tokens):
        reply, failed = _replied(asked, heard, meter, ports, prompt)
    last = turns[-1].text if turns[-1].how == "context" else turns[-1].question
    understood = _understood(asked, reply, failed, heard, joined(asked, last))
    return replace(understood, calls=meter.calls)


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


def _understood(
    asked: str, reply: Completed, failed: str, heard: Sequence[Said], together: str
) -> FollowUp:
    """Return what is asked; `together` is the question with the one before it."""
    more = not failed and asks_for_more(reply, heard)
    unchanged = is_unchanged(asked, reply.question)
    problem = failed
    if not (failed or unchanged):
        problem = why_refused(asked, heard, reply.question, more=more)
    if not (problem or unchanged):
        return FollowUp(asked, reply.question, "model", more=more)
    if more:
        return FollowUp(asked, together, "model", more=True)
    if whole_question := named(asked, heard, reply.about):
        return FollowUp(asked, whole_question, "model")
    return FollowUp(asked, together, "context", problem) if problem else FollowUp(asked, asked)


def _replied(
    asked: str, heard: Sequence[Said], meter: Meter, ports: Ports, prompt: PromptTemplate
) -> tuple[Completed, str]:
    """Return what the planner model replies, and what kept it from replying."""
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
    except (ModelError, BudgetError) as error:
        return Completed(), str(error) or type(error).__name__
    return read_completed(reply.text), ""


def _line(said: Said) -> str:
    return fenced(f"Q: {said.question}\nA: {said.answer}")
