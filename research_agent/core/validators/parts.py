"""Whether the parts of a question, or a translation of it, bring in nothing of their own."""

from collections.abc import Sequence

from research_agent.core.proposals import HOP
from research_agent.core.validators.reading import Reading, language_of, read
from research_agent.core.validators.rewrite_words import RewriteWords
from research_agent.core.validators.spans import negations
from research_agent.core.validators.substitution import difference
from research_agent.core.validators.verdicts import Accept, Block, Ruling
from research_agent.core.words import fold

VALIDATOR = "protected words"
MOST_NEW = 0.5
"""Share of a part's content words that may be new."""


def check_parts(
    question: str, parts: Sequence[str], languages: Sequence[RewriteWords]
) -> tuple[Ruling, ...]:
    """Return for each part whether it asks for a part of `question`.

    No part may bring in a name, a number or a negation, or consist mostly of other words.
    Together they keep all names and numbers: what no part has is charged to each of them.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> parts = ["size of ML-KEM keys", "size of RSA keys"]
    >>> rulings = check_parts("Are ML-KEM keys larger than RSA keys?", parts, LANGUAGES)
    >>> [ruling.ruling for ruling in rulings]
    ['accept', 'accept']
    >>> check_parts("Who is larger, ML-KEM or RSA?", ["size of ML-KEM"], LANGUAGES)[0].reason
    'no part has: rsa'
    """
    words = language_of(question, languages)
    asked = read(question, words)
    read_parts = [read(HOP.sub(" ", part), words) for part in parts]
    plain = " ".join(fold(" ".join(parts)).split())
    lost = (*_lost(asked, read_parts), *(quote for quote in asked.quotes if quote not in plain))
    others = [language_of(part, languages) for part in parts]
    return tuple(
        Block(VALIDATOR, f"is {other.language}, the question is {words.language}")
        if words and other and other is not words
        else _part(asked, part, lost)
        for part, other in zip(read_parts, others, strict=True)
    )


def _lost(asked: Reading, parts: Sequence[Reading]) -> tuple[str, ...]:
    """Return the names and numbers of the question that no part has."""
    together = Reading(
        asked.language, tuple(item for part in parts for item in part.items), (), asked.words
    )
    lost, _ = difference(asked, together)
    values = {item.number for item in together.items if item.number}
    gone = [item.text for item in lost if item.name]
    return (*gone, *(i.text for i in asked.items if i.number and i.number not in values))


def _part(asked: Reading, part: Reading, lost: Sequence[str]) -> Ruling:
    _, gained = difference(asked, part)
    known = {item.number for item in asked.items}
    made_up = [item.text for item in part.items if item.number and item.number not in known]
    made_up += [item.text for item in gained if item.name]
    new = len(gained) / max(len(part.content), 1)
    figures = {"new": new}
    if lost:
        return Block(VALIDATOR, f"no part has: {', '.join(lost)}", figures)
    if made_up:
        return Block(VALIDATOR, f"names or numbers were added: {', '.join(made_up)}", figures)
    if negations(part) > negations(asked):
        return Block(VALIDATOR, "a negation was added", figures)
    if not part.content or new > MOST_NEW:
        return Block(VALIDATOR, "is about something else", figures)
    return Accept(VALIDATOR, figures=figures)


def check_translation(question: str, query: str, languages: Sequence[RewriteWords]) -> Ruling:
    """Return whether a translation keeps numbers and names, the only words that stay the same.

    Names are those in Latin letters: a capital within the sentence, or a digit. Between languages
    that are known, a negation has to stay one too.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> asked = "Berapa ukuran kunci ML-KEM-768?"
    >>> check_translation(asked, "ML-KEM-512 key size", LANGUAGES).reason
    'names or numbers differ: ml-kem-512, ml-kem-768'
    """
    words, other = language_of(question, languages), language_of(query, languages)
    asked, wanted = read(question, words), read(query, other)
    if words and words is other:
        return Block(VALIDATOR, f"is {words.language} still")
    if words and other and bool(negations(asked)) != bool(negations(wanted)):
        return Block(VALIDATOR, f"negations differ: {negations(asked)} and {negations(wanted)}")
    kept = " ".join(fold(query).split())
    own = " ".join(fold(question).split())
    differ = {item.text for item in asked.items if item.name and item.text not in kept}
    differ |= {i.text for i in wanted.items if i.name and _is_code(i.text) and i.text not in own}
    before = {item.number for item in asked.items if item.number}
    after = {item.number for item in wanted.items if item.number}
    differ |= before ^ after
    if differ:
        return Block(VALIDATOR, f"names or numbers differ: {', '.join(sorted(differ))}")
    return Accept(VALIDATOR, "a translation: names, numbers and negation are compared")


def _is_code(text: str) -> bool:
    return any(char.isdigit() for char in text)
