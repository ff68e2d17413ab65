"""What the evidence says of another subject: the words are right, and their subject is not."""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement
from research_agent.core.claim_checks.substitution import CLASSES, PRONOUNS

SUBJECT = 2
"""Words with which a sentence names what it is about."""
TOLD = 0.6
"""Share of the other words of a sentence that one of the evidence holds where it says it."""
POINTING = frozenset(
    ["it", "they", "this", "these", "that", "those", "he", "she", "its", "their", "his", "her",
     "such", "both", "here", "there", "we", "you", "one", "ini", "itu"]
)  # fmt: skip
"""Words that stand for something named before."""


def of_another(both: Compared) -> str:
    """Return of which subject the evidence says it, where the sentence has another one.

    The sentence of the evidence that holds the most must have a subject of its own, which the
    sentence does not name; and the sentence's subject has to be named elsewhere around it.

    >>> from research_agent.core.claim_checks.reading import read
    >>> quoted = read("Hamsters may be kept without asking. Dogs require written consent.")
    >>> of_another(Compared(read("Dogs may be kept without asking."), quoted))
    'the evidence says it of "hamsters", not of "dogs"'
    """
    subject = _subject(both.said, 0)
    rest = [
        i
        for i, word in enumerate(both.said.words)
        if i not in subject and (word.content or word.value) and word.sentence == 0
    ]
    if not subject or not rest:
        return ""
    for sentence in _telling(both, rest):
        theirs = _subject(both.quoted, sentence)
        if not theirs or _points(both.quoted, sentence, theirs):
            return ""
        if _is_named(both, subject, sentence):
            return ""
        if any(both.said.like(both.quoted.words[i]) for i in theirs):
            return ""
        if _is_elsewhere(both, subject):
            one, other = both.quoted.words[theirs[0]], both.said.words[subject[0]]
            return f'the evidence says it of "{one.text}", not of "{other.text}"'
    return ""


def _telling(both: Compared, rest: list[int]) -> Iterator[int]:
    """Yield the only sentence of the evidence that holds most of a sentence's other words."""
    shares: dict[int, float] = {}
    for i in rest:
        for sentence in {
            both.quoted.words[k].sentence for k in both.quoted.like(both.said.words[i])
        }:
            shares[sentence] = shares.get(sentence, 0.0) + 1 / len(rest)
    best = sorted(shares, key=lambda sentence: -shares[sentence])
    if best and shares[best[0]] >= TOLD:
        yield best[0]


def _subject(statement: Statement, sentence: int) -> tuple[int, ...]:
    """Return the first words that say something, up to a verb's sign; none behind another word."""
    found: list[int] = []
    for i, word in enumerate(statement.words):
        if word.sentence != sentence:
            continue
        if word.content and not word.has("month") and not word.has("break"):
            found.append(i)
        elif found or word.value or word.has("condition") or word.text in LEADING:
            break
        if len(found) == SUBJECT:
            break
    return tuple(found)


LEADING = frozenset(
    ["in", "on", "at", "for", "with", "from", "by", "during", "of", "as", "to", "under", "per",
     "untuk", "pada", "di", "dari", "dengan", "bagi"]
)  # fmt: skip
"""Words that begin what is no subject."""


def _points(statement: Statement, sentence: int, subject: tuple[int, ...]) -> bool:
    """Return whether a subject stands for something named before: "it", "the city"."""
    first = next(i for i, word in enumerate(statement.words) if word.sentence == sentence)
    before = (statement.words[i].text for i in range(first, subject[0]))
    if any(text in POINTING or text in PRONOUNS for text in before):
        return True
    words = [statement.words[i] for i in subject]
    return words[0].name or any(word.text in CLASSES for word in words)


def _is_named(both: Compared, subject: tuple[int, ...], sentence: int) -> bool:
    """Return whether a sentence of the evidence names a subject, in other words too."""
    places = (k for i in subject for k in both.quoted.like(both.said.words[i]))
    return any(both.quoted.words[k].sentence == sentence for k in places)


def _is_elsewhere(both: Compared, subject: tuple[int, ...]) -> bool:
    return all(
        both.quoted.at(both.said.words[i].form) or both.context.at(both.said.words[i].form)
        for i in subject[:1]
    )
