"""Contextualize: what a person says in a conversation, as a question that can be asked by itself.

A model completes it; what it writes is compared with the conversation as strings, so that nothing
is lost and nothing invented.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.text.identifiers import identifiers, parts, quotations
from research_agent.text.replies import (
    MAX_CHARS,
    check_question,
    object_schema,
    plain_query,
    reply_object,
)
from research_agent.text.words import fold, index_words
from research_agent.types import Message
from research_agent.types.conversation import FollowUp, Turn
from research_agent.types.evidence import fenced

MOST_TURNS, LONGEST_ANSWER, HISTORY_TOKENS = 5, 500, 1000
"""Earlier turns that the model reads, characters of each answer, and tokens of all turns."""
ADDED_TOKENS = 160
"""Tokens that a reply may have beside those of the question."""
MOST_ADDED = 300
"""Characters by which a completed question may be longer than what was typed."""
LEAST_KNOWN = 0.5
"""Share of its words that have to be in the conversation."""
MOST_NAMED = 4
"""Topics of a question at most; further ones are dropped."""
SCHEMA = object_schema(
    {
        "about": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_NAMED},
        "question": {"type": "string"},
        "more": {"type": "boolean"},
    }
)
"""What the planner model replies; what a question is about comes first, so that it is named."""
_KEYS = re.compile(r"\s*\[c\d+\]")


@dataclass(frozen=True, slots=True)
class Completed:
    """A question as a model completes it."""

    question: str = ""
    about: tuple[str, ...] = ()
    """The things that it asks about."""
    more: bool = False
    """It asks for more than an earlier answer said."""


def contextualize(text: str, turns: Sequence[Turn], *, context: StepContext) -> FollowUp:
    """Return the question that is asked for `text` after `turns`; raises QuestionError.

    The planner model completes it, unless it was asked before; `why_refused` decides whether that
    is used. Else the things are added that the model says it is about, or the question before.
    """
    asked = check_question(text)
    if not turns or context.settings.sessions.follow_ups == "off":
        return FollowUp(asked, asked)
    if any(is_unchanged(asked, turn.question) for turn in turns):
        return FollowUp(asked, asked)
    before = _recent(turns, context)
    reply, failed = Completed(), "the turn before is too long to be read"
    if before:
        reply, failed = _replied(asked, before, context)
    last = turns[-1].text if turns[-1].how == "context" else turns[-1].question
    together = f"{last} {asked}"
    together = together if len(together) <= MAX_CHARS else asked
    return replace(_chosen(asked, reply, failed, before, together), calls=context.meter.calls)


def _recent(turns: Sequence[Turn], context: StepContext) -> tuple[Turn, ...]:
    """Return the latest turns that fit into `HISTORY_TOKENS` together, oldest first."""
    fitting: list[Turn] = []
    left = HISTORY_TOKENS
    for turn in reversed(turns[-MOST_TURNS:]):
        shortened = replace(turn, answer=_KEYS.sub("", turn.answer)[:LONGEST_ANSWER])
        left -= context.ports.tokenizer.count(_line(shortened))
        if left < 0:
            break
        fitting.insert(0, shortened)
    return tuple(fitting)


def _replied(asked: str, before: Sequence[Turn], context: StepContext) -> tuple[Completed, str]:
    history = "\n".join(map(_line, before))
    prompt = context.prompts.follow_up.render(history=history, question=asked)
    own = context.ports.tokenizer.count(asked)
    try:
        reply = context.meter.ask(
            context.ports.planner,
            "planner",
            [Message("user", prompt)],
            max_tokens=own + ADDED_TOKENS,
            least_tokens=own,
            schema=SCHEMA,
        )
    except (ModelError, BudgetError) as error:
        return Completed(), str(error) or type(error).__name__
    return read_completed(reply.text), ""


def _chosen(
    asked: str, reply: Completed, failed: str, before: Sequence[Turn], together: str
) -> FollowUp:
    """Return what is asked; `together` is the question with the one before it."""
    unchanged = is_unchanged(asked, reply.question)
    complete = unchanged and names_all(asked, reply.about)
    more = not failed and asks_for_more(reply, before)
    if complete:
        more = more and any(names_all(turn.question, reply.about) for turn in before)
    problem = failed
    if not (failed or unchanged):
        problem = why_refused(asked, before, reply.question, reply.about, more=more)
    if not (problem or unchanged):
        return FollowUp(asked, reply.question, "model", more=more)
    if more:
        return FollowUp(asked, asked if complete else together, "model", more=True)
    if whole_question := named(asked, before, reply.about):
        return FollowUp(asked, whole_question, "model", problem)
    return FollowUp(asked, together, "context", problem) if problem else FollowUp(asked, asked)


def read_completed(reply: str) -> Completed:
    """Return what a model's reply says, texts on one line; the question is empty without one."""
    values = reply_object(reply)

    def line(text: object) -> str:
        return " ".join(text.split()) if isinstance(text, str) else ""

    about = values.get("about")
    names = [line(one) for one in about[:MOST_NAMED]] if isinstance(about, list) else []
    more = values.get("more") is True
    return Completed(line(values.get("question")), tuple(filter(None, names)), more)


def named(text: str, before: Sequence[Turn], about: Sequence[str]) -> str:
    """Return `text` followed by the things that it is `about` and does not name.

    Only what is in the turns `before` is added. Empty where there is nothing to add.
    """
    earlier, own = parts(_told(before)), parts(text)
    lacking = [one for one in about if parts(one) in earlier and parts(one) not in own]
    whole = f"{text} ({', '.join(dict.fromkeys(lacking))})"
    return whole if lacking and not _is_too_long(whole, text) else ""


def asks_for_more(completed: Completed, before: Sequence[Turn]) -> bool:
    """Return whether a question wants further answers to an earlier one, as the model judged.

    Not where it has a number or an identifier that no earlier question has.
    """
    own = identifiers(completed.question)
    return completed.more and any(own <= identifiers(turn.question) for turn in before)


def names_all(text: str, about: Sequence[str]) -> bool:
    """Return whether `text` names each thing that a question is `about`, and says more than it."""
    own = parts(text)
    return bool(about) and all(parts(one) in own and parts(one) != own for one in about)


def is_unchanged(text: str, completed: str) -> bool:
    """Return whether two questions differ at most in case, spaces and punctuation at the end."""
    return plain_query(text) == plain_query(completed)


def why_refused(
    text: str,
    before: Sequence[Turn],
    completed: str,
    about: Sequence[str] = (),
    *,
    more: bool = False,
) -> str:
    """Return why `completed` may not replace `text` after the turns `before`; empty if it may.

    Numbers, identifiers and quotations have to stay, but for those of the question before that are
    corrected; added ones, and `LEAST_KNOWN` of all words, have to be in the conversation. Only a
    question for `more` may repeat the one before.
    """
    if not any(map(str.isalnum, completed)):
        return "no question came back"
    if _is_too_long(completed, text):
        return "it is too long"
    has, plain = parts(completed), fold(completed)
    gone = (mark for mark in identifiers(text) if f" {mark} " not in has)
    lost = sorted(mark for mark in gone if not _is_corrected(mark, text, before, about))
    lost += [quoted for quoted in quotations(text) if fold(quoted) not in plain]
    if lost:
        return f"it has lost: {', '.join(lost)}"
    conversation = f"{text} {_told(before)}"
    known = parts(conversation)
    if added := sorted(mark for mark in identifiers(completed) if f" {mark} " not in known):
        return f"nobody has said: {', '.join(added)}"
    if before and not more and is_unchanged(before[-1].question, completed):
        return "it repeats the question before"
    words, own = set(index_words(completed)), set(index_words(conversation))
    return "most of its words are new" if len(words & own) < LEAST_KNOWN * len(words) else ""


def _is_corrected(mark: str, text: str, before: Sequence[Turn], about: Sequence[str]) -> bool:
    """Return whether `text` corrects a number or identifier of the question before.

    That has it, and not another one of `text`; the model names only that one in `about`.
    """
    earlier, named_things = parts(before[-1].question if before else ""), parts(" ".join(about))
    others = (other for other in identifiers(text) if f" {other} " not in earlier)
    is_named = any(f" {other} " in named_things for other in others)
    return f" {mark} " in earlier and f" {mark} " not in named_things and is_named


def _is_too_long(completed: str, text: str) -> bool:
    return len(completed) > min(len(text) + MOST_ADDED, MAX_CHARS)


def _told(before: Sequence[Turn]) -> str:
    return " ".join(f"{turn.question} {turn.answer}" for turn in before)


def _line(turn: Turn) -> str:
    return fenced(f"Q: {turn.question}\nA: {turn.answer}")
