"""Names in running text: an automaton over all of them, so that a text is read once."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

Key = tuple[str, ...]
"""The words of a name in small letters, as they are compared."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_WORD = re.compile(r"[^\W_]+")
_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}


def name_words(text: str) -> list[str]:
    """Return the words of a text as they are written; hyphens and all marks part them.

    >>> name_words("The ML\u2011KEM_Key (FIPS\u00a0203)")
    ['The', 'ML', 'KEM', 'Key', 'FIPS', '203']
    """
    if text.isascii():
        return text.translate(_PLAIN).split()
    return _WORD.findall(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)))


def folded(text: str) -> list[str]:
    """Return the words of a text in small letters: as many as `name_words` has.

    >>> folded("The ML-KEM Stra\u00dfe")
    ['the', 'ml', 'kem', 'strasse']
    """
    if text.isascii():
        return name_words(text.lower())
    return [word.casefold() for word in name_words(text)]


class NameFinder:
    """An automaton over names: a tree of their words, whose branches end in a name's number.

    >>> finder = NameFinder([("key",), ("key", "size"), ("size", "limit")])
    >>> list(finder.find(["the", "key", "size", "limit", "key"]))
    [(1, 1, 3), (0, 4, 5)]
    """

    def __init__(self, names: Iterable[Key]) -> None:
        """Make it for `names`; each is found as its place among them."""
        self._tree: dict[str, _Node] = {}
        for number, words in enumerate(names):
            branches, node = self._tree, None
            for word in words:
                node = branches.setdefault(word, _Node())
                branches = node.branches
            if node is not None:
                node.name = number

    def find(self, words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield name, first word and the word behind it: leftmost, then longest, none twice."""
        tree, behind = self._tree, 0
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


class _Node:
    """A word of one or more names, after those that stand in front of it."""

    __slots__ = ("branches", "name")

    def __init__(self) -> None:
        self.branches: dict[str, _Node] = {}
        self.name: int | None = None
