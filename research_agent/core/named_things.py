"""Whether the evidence says anything of what a question names."""

import re
from collections.abc import Sequence
from itertools import chain

from research_agent.core.evidence import Evidence
from research_agent.core.support import names
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.reading import language_of
from research_agent.core.words import fold

WORD = re.compile(r"[^\W\d_][\w'-]*")
MARKS_NAMES = frozenset({"english", "indonesian"})
"""Languages, of those that can be told, in which a capital within a sentence marks a name."""
LEAST = 2
"""With fewer names a question may be about what the evidence calls something else."""


def named_in(question: str) -> frozenset[str]:
    """Return what a question names: words with capitals, but for the first of each sentence.

    Empty in a language where capitals say something else, or nothing.

    >>> sorted(named_in("What does a ticket from Jakarta to Bandung cost?"))
    ['Bandung', 'Jakarta']
    """
    language = language_of(question, LANGUAGES)
    if language is None or language.language not in MARKS_NAMES:
        return frozenset()
    capital = {
        word[0]
        for sentence in re.split(r"[.?!:]\s+", question)
        for word in list(WORD.finditer(sentence))[1:]
        if word[0][0].isupper() and len(word[0]) > 1
    }
    return frozenset(capital | names(question))


def is_about_something_else(question: str, evidence: Sequence[Evidence]) -> bool:
    """Return whether a question names several things and the evidence holds not one of them.

    A part of a compound is enough: what is said of "ML-KEM" may answer for "ML-KEM-768".

    >>> from research_agent.core.types import Chunk, Hit
    >>> trains = Evidence("c1", Hit(Chunk("x", "trains", "From Jakarta a ticket costs 5.")))
    >>> budget = Evidence("c1", Hit(Chunk("y", "budget", "A call costs tokens.")))
    >>> question = "What does a ticket from Jakarta to Bandung cost?"
    >>> [is_about_something_else(question, [item]) for item in (trains, budget)]
    [False, True]
    """
    named = [_words(name) for name in named_in(question)]
    if len(named) < LEAST:
        return False
    said: set[str] = set()
    for item in evidence:
        chunk = item.hit.chunk
        text = " ".join((chunk.doc_id, chunk.title, *chunk.section, chunk.text))
        said.update(_words(text))
    return not any(word in said or word.removesuffix("s") in said for word in chain(*named))


def _words(text: str) -> list[str]:
    """Return the words of a text without case, compounds in their parts."""
    return [word for word in re.split(r"[\W_]+", fold(text)) if word]
