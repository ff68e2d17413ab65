"""Which of the things that a question compares an answer says nothing about."""

from collections.abc import Sequence

from research_agent.core.claims import Claim, is_shown
from research_agent.core.question_plan import compared_things
from research_agent.core.question_words import QuestionWords
from research_agent.core.support import is_named


def missing_sides(
    question: str, claims: Sequence[Claim], words: Sequence[QuestionWords]
) -> tuple[str, ...]:
    """Return the things of a comparison that no shown claim and no quote names.

    >>> from research_agent.core.question_words import ENGLISH
    >>> said = [Claim("ML-KEM agrees on a key.", ("c1",), verdict="supported")]
    >>> missing_sides("How do ML-KEM and ML-DSA differ?", said, [ENGLISH])
    ('ML-DSA',)
    """
    shown = [claim for claim in claims if is_shown(claim)]
    said = " ".join([c.text for c in shown] + [q.quote for c in shown for q in c.quotes])
    return unnamed(compared_things(question, words), said)


def unnamed(things: Sequence[str], text: str) -> tuple[str, ...]:
    """Return those of the things that a text does not name, where it names another one.

    Nothing where it names none: then it may call them otherwise.

    >>> unnamed(("ML-KEM", "ML-DSA"), "ML-KEM agrees on a key."), unnamed(("ML-KEM",), "It does.")
    (('ML-DSA',), ())
    """
    missing = tuple(thing for thing in things if not is_named(thing, text))
    return missing if len(missing) < len(things) else ()
