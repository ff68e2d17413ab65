"""Understand: what a person says in a conversation, as a question that stands by itself."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.conversation import FollowUp, Turn
from research_agent.core.evidence import fenced
from research_agent.core.follow_up import Said, follow_up
from research_agent.core.follow_up_check import FOLLOW_UP_SCHEMA, check_completed, read_completed
from research_agent.core.questions import check_question
from research_agent.core.types import Message
from research_agent.core.validators.verdicts import Block
from research_agent.errors import BudgetError, ModelError, QuestionError
from research_agent.metering import Meter, whole
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import Settings

MAX_TOKENS = 120
LEAST_TOKENS = 40
LONGEST_ANSWER = 400
"""Characters of an earlier answer that are looked at."""


def understand(
    text: str,
    turns: Sequence[Turn],
    *,
    ports: Ports,
    prompt: PromptTemplate,
    settings: Settings,
) -> FollowUp:
    """Return the question that stands for `text` after `turns`.

    Rules complete it where they are sure. The planner model is asked only where something points
    back and rules cannot tell to what; a proposal of its that says something new is not used.
    Then the topic of the question before stands behind the text. Raises QuestionError.
    """
    asked = check_question(text)
    before = tuple(Said(turn.question, turn.answer[:LONGEST_ANSWER]) for turn in turns)
    found = follow_up(asked, before)
    if found.how != "context" or not settings.sessions.max_history_tokens:
        return _fitting(found)
    heard = recent(before, ports, settings.sessions.max_history_tokens)
    return _fitting(_by_model(found, heard, ports, prompt, settings)) if heard else _fitting(found)


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


def _by_model(
    found: FollowUp,
    heard: Sequence[Said],
    ports: Ports,
    prompt: PromptTemplate,
    settings: Settings,
) -> FollowUp:
    """Return the question as the planner model completes it, or `found` with what went wrong."""
    meter = Meter(whole(settings.budget), tokenizer=ports.tokenizer, clock=ports.clock)
    history = "\n".join(map(_line, heard))
    message = Message("user", prompt.render(history=history, question=found.text))
    try:
        reply = meter.ask(
            ports.planner,
            "planner",
            [message],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            schema=FOLLOW_UP_SCHEMA,
        )
    except (ModelError, BudgetError) as error:
        return replace(found, reason=f"{found.reason}; {error}", calls=meter.calls)
    completed = read_completed(reply.text)
    if not completed:
        return replace(found, reason=f"{found.reason}; no question came back", calls=meter.calls)
    ruling = check_completed(found.text, heard, completed)
    if isinstance(ruling, Block):
        refused = f"{found.reason}; {completed!r} was not used: {ruling.reason}"
        return replace(found, reason=refused, calls=meter.calls)
    return FollowUp(found.text, completed, "model", found.reason, meter.calls)


def _line(said: Said) -> str:
    return fenced(f"Q: {said.question}\nA: {said.answer}")


def _fitting(found: FollowUp) -> FollowUp:
    """Return `found`, or the text as it was typed where completing it has made it too long."""
    try:
        return replace(found, question=check_question(found.question))
    except QuestionError:
        return replace(found, question=found.text, how="new", reason="too long to be completed")
