"""A question of a conversation, completed by a model: what it reads, and what it may write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.text.identifiers import identifiers, parts, quotations
from research_agent.text.words import fold, index_words
from research_agent.types.proposals import plain_query, reply_object
from research_agent.types.questions import MAX_CHARS

MOST_ADDED = 300
"""Characters by which a completed question may be longer than what was typed."""
LEAST_KNOWN = 0.5
"""Share of its words that have to stand in the conversation."""
MOST_NAMED = 4
"""Things that a question may be about; further ones are passed over."""
FOLLOW_UP_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "about": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_NAMED},
        "question": {"type": "string"},
        "more": {"type": "boolean"},
    },
    "required": ["about", "question", "more"],
    "additionalProperties": False,
}
"""What the planner model replies; what a question is about comes first, so that it is named."""


@dataclass(frozen=True, slots=True)
class Said:
    """An earlier turn: its question as it was asked, and its answer."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """A question as a model completes it."""

    question: str = ""
    about: tuple[str, ...] = ()
    """The things that it asks about."""
    more: bool = False
    """It asks for more than an earlier answer told."""


def read_completed(reply: str) -> Completed:
    """Return what a model's reply says, texts on one line; the question is empty without one.

    >>> read_completed('Sure: {"about": ["b"], "question": " How  large is b? "}')
    Completed(question='How large is b?', about=('b',), more=False)
    """
    said = reply_object(reply)
    about = said.get("about")
    names = [_line(one) for one in about[:MOST_NAMED]] if isinstance(about, list) else []
    more = said.get("more") is True
    return Completed(_line(said.get("question")), tuple(filter(None, names)), more)


def named(text: str, before: Sequence[Said], about: Sequence[str]) -> str:
    """Return `text` with the things behind it that it is `about` and does not name.

    Only what stands in the turns `before` is added. Empty where there is nothing to add.

    >>> before = [Said("How large is a rye loaf?"), Said("And a wheat loaf?")]
    >>> named("Which is larger?", before, ["rye loaf", "wheat loaf", "bun"])
    'Which is larger? (rye loaf, wheat loaf)'
    """
    said, own = parts(_told(before)), parts(text)
    lacking = [one for one in about if parts(one) in said and parts(one) not in own]
    whole = f"{text} ({', '.join(dict.fromkeys(lacking))})"
    return whole if lacking and not _is_too_long(whole, text) else ""


def asks_for_more(completed: Completed, before: Sequence[Said]) -> bool:
    """Return whether a question wants further answers to an earlier one.

    That is the model's judgement. It is not followed where the question has a number or an
    identifier that no earlier question has alike: then it is about something else.

    >>> before = [Said("What is ML-KEM used for?")]
    >>> asks_for_more(Completed("What else is ML-KEM used for?", more=True), before)
    True
    >>> asks_for_more(Completed("What is ML-DSA used for?", more=True), before)
    False
    """
    own = identifiers(completed.question)
    return completed.more and any(own <= identifiers(turn.question) for turn in before)


def is_unchanged(text: str, completed: str) -> bool:
    """Return whether two questions differ at most in case, spaces and punctuation at the end."""
    return plain_query(text) == plain_query(completed)


def why_refused(text: str, before: Sequence[Said], completed: str, *, more: bool = False) -> str:
    """Return why `completed` may not stand for `text` after the turns `before`; empty if it may.

    Only a question that asks for `more` may repeat the one before.

    Numbers, identifiers and quotations of `text` have to stay. Those that are added have to stand
    in the conversation, and so has at least `LEAST_KNOWN` of all its words: nothing is invented.

    >>> before = [Said("How large is an ML-KEM-768 key?")]
    >>> why_refused("And its ciphertext?", before, "How large is an ML-KEM-768 ciphertext?")
    ''
    >>> why_refused("And its ciphertext?", before, "How large is an ML-DSA-65 ciphertext?")
    'nobody has said: ml dsa 65'
    """
    if not any(map(str.isalnum, completed)):
        return "no question came back"
    if _is_too_long(completed, text):
        return "it is too long"
    if lost := _lost(text, completed):
        return f"it has lost: {', '.join(lost)}"
    said = f"{text} {_told(before)}"
    known = parts(said)
    if added := sorted(mark for mark in identifiers(completed) if f" {mark} " not in known):
        return f"nobody has said: {', '.join(added)}"
    if before and not more and is_unchanged(before[-1].question, completed):
        return "it repeats the question before"
    words, own = set(index_words(completed)), set(index_words(said))
    return "most of its words are new" if len(words & own) < LEAST_KNOWN * len(words) else ""


def joined(text: str, last: str) -> str:
    """Return what is asked where nothing could complete `text`: the `last` question, too.

    It is `text` alone where both together are too long for one question.

    >>> joined("And its ciphertext?", "How large is the key?")
    'How large is the key? And its ciphertext?'
    """
    both = f"{last} {text}"
    return both if len(both) <= MAX_CHARS else text


def _is_too_long(completed: str, text: str) -> bool:
    return len(completed) > min(len(text) + MOST_ADDED, MAX_CHARS)


def _told(before: Sequence[Said]) -> str:
    return " ".join(f"{turn.question} {turn.answer}" for turn in before)


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _lost(text: str, completed: str) -> list[str]:
    """Return the identifiers and quotations of `text` that `completed` does not have."""
    has, plain = parts(completed), fold(completed)
    lost = sorted(mark for mark in identifiers(text) if f" {mark} " not in has)
    return lost + [quoted for quoted in quotations(text) if fold(quoted) not in plain]
