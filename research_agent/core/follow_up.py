"""A question of a conversation, completed by a model: what it reads, and what it may write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.core.identifiers import identifiers, parts, quotations
from research_agent.core.proposals import plain_query, reply_object
from research_agent.core.words import fold, index_words

MOST_ADDED = 300
"""Characters by which a completed question may be longer than what was typed."""
LEAST_KNOWN = 0.5
"""Share of its words that have to stand in the conversation."""
FOLLOW_UP_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
"""What the planner model replies."""


@dataclass(frozen=True, slots=True)
class Said:
    """An earlier turn: its question as it was asked, and its answer."""

    question: str
    answer: str = ""


def read_completed(reply: str) -> str:
    """Return the question in a model's reply, on one line; empty where there is none.

    >>> read_completed('Sure: {"question": " How  large is it? "}'), read_completed("no idea")
    ('How large is it?', '')
    """
    text = reply_object(reply).get("question")
    return " ".join(text.split()) if isinstance(text, str) else ""


def is_unchanged(text: str, completed: str) -> bool:
    """Return whether two questions differ at most in case, spaces and punctuation at the end."""
    return plain_query(text) == plain_query(completed)


def why_refused(text: str, before: Sequence[Said], completed: str) -> str:
    """Return why `completed` may not stand for `text` after the turns `before`; empty if it may.

    Numbers, identifiers and quotations of `text` have to stay. Those that are added have to stand
    in the conversation, and so has at least `LEAST_KNOWN` of all its words: nothing is invented.

    >>> before = [Said("How large is an ML-KEM-768 key?")]
    >>> why_refused("And its ciphertext?", before, "How large is an ML-KEM-768 ciphertext?")
    ''
    >>> why_refused("And its ciphertext?", before, "How large is an ML-DSA-65 ciphertext?")
    'nobody has said: ml dsa 65'
    """
    if not completed:
        return "no question came back"
    if len(completed) > len(text) + MOST_ADDED:
        return "it is too long"
    if lost := _lost(text, completed):
        return f"it has lost: {', '.join(lost)}"
    said = " ".join([text, *(f"{turn.question} {turn.answer}" for turn in before)])
    known = parts(said)
    if added := sorted(mark for mark in identifiers(completed) if f" {mark} " not in known):
        return f"nobody has said: {', '.join(added)}"
    if before and is_unchanged(before[-1].question, completed):
        return "it repeats the question before"
    words, own = set(index_words(completed)), set(index_words(said))
    return "most of its words are new" if len(words & own) < LEAST_KNOWN * len(words) else ""


def joined(text: str, before: Sequence[Said]) -> str:
    """Return what is searched for where nothing could complete `text`: the question before, too.

    >>> joined("And its ciphertext?", [Said("How large is the key?")])
    'How large is the key? And its ciphertext?'
    """
    return " ".join([*(turn.question for turn in before[-1:]), text])


def _lost(text: str, completed: str) -> list[str]:
    """Return the identifiers and quotations of `text` that `completed` does not have."""
    has, plain = parts(completed), fold(completed)
    lost = sorted(mark for mark in identifiers(text) if f" {mark} " not in has)
    return lost + [quoted for quoted in quotations(text) if fold(quoted) not in plain]
