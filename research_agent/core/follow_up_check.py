"""Whether a question that a model completed says only what the conversation has said."""

from collections.abc import Mapping, Sequence

from research_agent.core.follow_up import Said
from research_agent.core.proposals import reply_object
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.reading import Reading, language_of, read
from research_agent.core.validators.spans import negations
from research_agent.core.validators.verdicts import Accept, Block, Ruling

VALIDATOR = "conversation"
LONGEST = 300
"""Characters of a completed question."""
FOLLOW_UP_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"question": {"type": "string", "maxLength": LONGEST}},
    "required": ["question"],
    "additionalProperties": False,
}
"""What the planner model replies."""


def read_completed(reply: str) -> str:
    """Return the question in a model's reply; empty where there is none that can be used.

    >>> read_completed('Sure: {"question": " How large is it? "}'), read_completed("no idea")
    ('How large is it?', '')
    """
    text = reply_object(reply).get("question")
    plain = " ".join(text.split()) if isinstance(text, str) else ""
    return plain if len(plain) <= LONGEST else ""


def check_completed(text: str, before: Sequence[Said], completed: str) -> Ruling:
    """Block a completed question that says what nobody has said, or not what was just said.

    Names and numbers have to come from the text or from the turns before; those of the text have
    to stay, negations too, and something that was said before has to be added.

    >>> before = [Said("How large is an ML-KEM-768 key?")]
    >>> check_completed("And its ciphertext?", before, "How large is its ML-DSA ciphertext?").reason
    'nobody has said: ml-dsa'
    >>> good = "How large is an ML-KEM-768 ciphertext?"
    >>> check_completed("And its ciphertext?", before, good).ruling
    'accept'
    """
    own, new = _read(text), _read(completed)
    earlier = [_read(f"{said.question} {said.answer}") for said in before]
    known = _marks(own).union(*map(_marks, earlier))
    if made_up := sorted(_marks(new) - known):
        return Block(VALIDATOR, f"nobody has said: {', '.join(made_up)}")
    if lost := sorted(_marks(own) - _marks(new)):
        return Block(VALIDATOR, f"is no longer in it: {', '.join(lost)}")
    asked = max((negations(reading) for reading in (own, *earlier[-1:])), default=0)
    if not negations(own) <= negations(new) <= asked:
        return Block(VALIDATOR, "a negation was added or lost")
    said = {item.text for reading in (own, *earlier) for item in reading.items}
    words = {item.text for item in new.content}
    if not words & {item.text for reading in earlier for item in reading.content}:
        return Block(VALIDATOR, "nothing was completed")
    strange = sorted(word for word in words if word not in said)
    if len(strange) * 2 > len(words):
        return Block(VALIDATOR, f"is about something else: {', '.join(strange)}")
    return Accept(VALIDATOR)


def _read(text: str) -> Reading:
    return read(text, language_of(text, LANGUAGES) or LANGUAGES[0])


def _marks(reading: Reading) -> frozenset[str]:
    """Return the numbers of a text, and its names as they are folded."""
    found = (i.number or (i.text if i.name else "") for i in reading.items)
    return frozenset(mark for mark in found if mark)
