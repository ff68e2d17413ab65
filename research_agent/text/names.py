"""Names by which texts call documents, sections and terms, and their places in a text."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from research_agent.text.words import INVISIBLE, STOP_WORDS

Key = tuple[str, ...]
"""The words of a name."""
LONGEST = 12
"""Words of a name at most; what is longer is a sentence."""
SHORTEST = 3
"""Letters of a name that is one word at least."""

_WORD = re.compile(r"[^\W_]+")
_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_SUBTITLE = re.compile(r"\s*(?::|\s[\u2013\u2014-])\s.*$")
_NUMBERED = re.compile(
    r"^\s*(?:\w+\s+)?(?:[A-Z]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVXLC]+)[.):]?\s*[\u2013\u2014-]?\s+"
)


def name_words(text: str) -> list[str]:
    """Return the words of a text as they are written; hyphens and all marks part them."""
    if text.isascii():
        return text.translate(_PLAIN).split()
    return _WORD.findall(unicodedata.normalize("NFKC", INVISIBLE.sub("", text)))


def folded(text: str) -> list[str]:
    """Return the words of a text in small letters: as many as `name_words` has."""
    if text.isascii():
        return name_words(text.lower())
    return [word.casefold() for word in name_words(text)]


def document_names(title: str, doc_id: str) -> tuple[Key, ...]:
    """Return the names of a document: title, title without brackets or subtitle, number.

    >>> document_names("Kiss and Tell (1945 film)", "kiss")
    (('Kiss', 'and', 'Tell', '1945', 'film'), ('Kiss', 'and', 'Tell'))
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

    Capitals in the name are capitals in the text. The first one is needed only where another word
    has one: else it may just begin the heading.

    >>> is_as_written(["key", "sizes"], ["Key", "sizes"])
    True
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
    return word[0].isupper()


def _is_unusual(word: str) -> bool:
    return any(char.isdigit() for char in word) or word[1:] != word[1:].lower()


@dataclass(slots=True)
class _Node:
    branches: "dict[str, _Node]" = field(default_factory=dict)
    name: int | None = None


class NameFinder:
    """All names as a tree of their words, so that a text is read once."""

    def __init__(self, names: Iterable[Key]) -> None:
        self._root = _Node()
        for number, words in enumerate(names):
            node = self._root
            for word in words:
                node = node.branches.setdefault(word, _Node())
            if words:
                node.name = number

    def find(self, words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield name, first word and the word after it: leftmost, then longest, no overlaps."""
        tree, behind = self._root.branches, 0
        for start in [place for place, word in enumerate(words) if word in tree]:
            if start < behind:
                continue
            node, end = tree[words[start]], start + 1
            found = (node.name, end)
            while end < len(words) and (following := node.branches.get(words[end])):
                node, end = following, end + 1
                found = (node.name, end) if node.name is not None else found
            name, last = found
            if name is not None:
                behind = last
                yield name, start, last
