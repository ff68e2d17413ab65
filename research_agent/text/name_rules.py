"""What of a title, a heading or an entry is a name by which other texts call it."""

import re
from collections.abc import Callable, Iterator, Sequence

from research_agent.text.names import Key, name_words
from research_agent.text.words import STOP_WORDS

LONGEST = 12
"""Words of a name at most; what is longer is a sentence."""
SHORTEST = 3
"""Letters of a name that is one word at least."""

_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_SUBTITLE = re.compile(r"\s*(?::|\s[\u2013\u2014-])\s.*$")
_NUMBERED = re.compile(
    r"^\s*(?:\w+\s+)?(?:[A-Z]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVXLC]+)[.):]?\s*[\u2013\u2014-]?\s+"
)


def document_names(title: str, doc_id: str) -> tuple[Key, ...]:
    """Return the names of a document: its title, without what only tells it apart, its number.

    >>> document_names("Kiss and Tell (1945 film)", "kiss")
    (('Kiss', 'and', 'Tell', '1945', 'film'), ('Kiss', 'and', 'Tell'))
    >>> document_names("", "NIST.SP.800-227.draft"), document_names("notes", "notes")
    ((('sp', '800', '227'),), ())
    """
    shorter = _BRACKETS.sub("", title)
    found = [tuple(name_words(text)) for text in (title, shorter)]
    main = tuple(name_words(_SUBTITLE.sub("", shorter)))
    names = [words for words in found if _is_name(words, single=_is_capital)]
    names += [main] if _is_name(main, single=_is_unusual) else []
    return tuple(dict.fromkeys([*names, *_number(doc_id)]))


def heading_name(heading: str) -> Key:
    """Return the name of a section, () for a heading that is too common or too long to be one.

    >>> heading_name("5.2 K-PKE Encryption"), heading_name("Introduction"), heading_name("KeyGen")
    (('K', 'PKE', 'Encryption'), (), ('KeyGen',))
    """
    words = tuple(name_words(_NUMBERED.sub("", heading)))
    return words if _is_name(words, single=_is_unusual) else ()


def term_name(term: str) -> Key:
    """Return the name of a defined term, () for one that is too common.

    >>> term_name("shared secret"), term_name("key"), term_name("KEM")
    (('shared', 'secret'), (), ('KEM',))
    """
    words = tuple(name_words(_BRACKETS.sub("", term)))
    return words if _is_name(words, single=_is_unusual) else ()


def is_as_written(words: Sequence[str], name: Sequence[str]) -> bool:
    """Say whether words of a text are a name and not the same words by chance.

    Words that begin with a capital in the name do so in the text. The first one needs it only
    where another word has one: else it may just begin the heading.

    >>> is_as_written(["key", "sizes"], ["Key", "sizes"])
    True
    >>> is_as_written(["the", "who"], ["The", "Who"])
    False
    """
    proper = any(_is_capital(word) for word in name[1:]) or len(name) == 1
    return all(
        not _is_capital(own) or _is_capital(word) or (place == 0 and not proper)
        for place, (word, own) in enumerate(zip(words, name, strict=True))
    )


def _number(doc_id: str) -> Iterator[Key]:
    """Yield the letters and numbers by which a document is cited: "FIPS 203"."""
    words = name_words(doc_id)
    numbers = [i for i, word in enumerate(words) if word[0].isdigit()]
    first = next((i for i in numbers if i and words[i - 1].isalpha()), None)
    if first is not None and len(words[first - 1]) > 1:
        end = next((i for i in range(first, len(words)) if i not in numbers), len(words))
        yield tuple(word.casefold() for word in words[first - 1 : end])


def _is_name(words: Key, *, single: Callable[[str], bool]) -> bool:
    """Say whether words are a name: two or more that say something, or an uncommon one."""
    telling = [word for word in words if word.casefold() not in STOP_WORDS and len(word) > 1]
    if len(words) == 1:
        return bool(telling) and len(words[0]) >= SHORTEST and single(words[0])
    return 1 < len(words) <= LONGEST and any(not word.isdigit() for word in telling)


def _is_capital(word: str) -> bool:
    """Say whether a word begins with a capital letter."""
    return word[0].isupper()


def _is_unusual(word: str) -> bool:
    """Say whether a word has digits, or capitals inside."""
    return any(char.isdigit() for char in word) or word[1:] != word[1:].lower()
