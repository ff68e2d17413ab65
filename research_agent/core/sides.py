"""Which of the things that a question compares an answer says nothing about."""

from collections.abc import Sequence

from research_agent.core.claims import Claim, is_shown
from research_agent.core.question_plan import asked_apart, compared_things
from research_agent.core.question_words import QuestionWords, phrases
from research_agent.core.support import is_named
from research_agent.core.words import STOP_WORDS, index_words

LEAD_INS = (":", "\N{FULLWIDTH COLON}")


def missing_sides(
    question: str, claims: Sequence[Claim], words: Sequence[QuestionWords]
) -> tuple[str, ...]:
    """Return the things of a comparison that no shown claim and no quote names.

    A sentence that ends with a colon says nothing of them yet.

    >>> from research_agent.core.question_words import ENGLISH
    >>> said = [Claim("ML-KEM agrees on a key.", ("c1",), verdict="supported")]
    >>> missing_sides("How do ML-KEM and ML-DSA differ?", said, [ENGLISH])
    ('ML-DSA',)
    """
    shown = [c for c in claims if is_shown(c) and not c.text.rstrip().endswith(LEAD_INS)]
    said = " ".join([c.text for c in shown] + [q.quote for c in shown for q in c.quotes])
    return unnamed(compared_things(question, words), said)


def asked_of(
    question: str, things: Sequence[str], languages: Sequence[QuestionWords]
) -> tuple[str, ...]:
    """Return what is asked of each thing alone: its name, where no word but of comparing is left.

    >>> from research_agent.core.question_words import ENGLISH
    >>> asked_of("How do ABC and XYZ differ?", ("ABC", "XYZ"), [ENGLISH])
    ('ABC', 'XYZ')
    >>> asked_of("How do the keys of ABC and XYZ differ?", ("ABC", "XYZ"), [ENGLISH])
    ('How do the keys of ABC and differ?', 'How do the keys of and XYZ differ?')
    """
    rest = question
    for name in sorted(things, key=len, reverse=True):
        rest = rest.replace(name, " ")
    for words in languages:
        rest = phrases(words.comparison).sub(" ", rest)
    if any(word not in STOP_WORDS for word in index_words(rest)):
        return asked_apart(question, things)
    return tuple(things)


def unnamed(things: Sequence[str], text: str) -> tuple[str, ...]:
    """Return those of the things that a text does not name, where it names another one.

    Nothing where it names none: then it may call them otherwise.

    >>> unnamed(("ML-KEM", "ML-DSA"), "ML-KEM agrees on a key."), unnamed(("ML-KEM",), "It does.")
    (('ML-DSA',), ())
    """
    missing = tuple(thing for thing in things if not is_named(thing, text))
    return missing if len(missing) < len(things) else ()
