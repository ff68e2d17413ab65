"""The words of one language as a table: what each word or phrase says beside its own meaning."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from research_agent.core.stems import stem
from research_agent.core.validators.rewrite_words import RewriteWords, alternatives

FacetKind = Literal[
    "function",
    "negation",
    "spared",
    "relation",
    "opposite",
    "synonym",
    "number",
    "unit",
    "marker",
    "agent",
    "conjunction",
]
LEAST_ROOT = 3
"""Letters that are left of a root at least."""
_DOUBLED = re.compile(r"\w\w([bdgmnprt])\1$")
"""A consonant that an ending has doubled, as in "running"."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that a word says: its kind, the group or axis it belongs to, and its side there."""

    kind: FacetKind
    group: int = 0
    side: int = 0


@dataclass(frozen=True)
class Lexicon:
    """What the words of one language say."""

    words: RewriteWords
    phrases: Mapping[tuple[str, ...], frozenset[Facet]]
    beginnings: Mapping[str, frozenset[Facet]]
    """Words of which only the beginning is given."""
    longest: int
    """Words, or characters of a language without spaces, of the longest phrase."""

    def facets(self, word: str) -> frozenset[Facet]:
        """Return what a single word says, also where it is inflected."""
        found = self.phrases.get((word,), frozenset())
        for form in self.forms(word) - {word} if not found else ():
            found |= self.phrases.get((form,), frozenset())
        if not word.startswith(self._starts):
            return found
        return found.union(*(f for start, f in self.beginnings.items() if word.startswith(start)))

    @cached_property
    def _starts(self) -> tuple[str, ...]:
        return tuple(self.beginnings)

    def forms(self, word: str) -> frozenset[str]:
        """Return the word and its roots, by which inflected words of the language meet."""
        if not self.words.spaced:
            return frozenset({word})
        found = roots(word, self.words.prefixes, self.words.suffixes)
        if self.words.prefixes:
            return found
        found |= {root[:-1] for root in found - {word} if _DOUBLED.search(root)}
        longer = f"{word}d" if word.endswith("e") else word
        short = {form.removesuffix("e") for form in found}
        return found | short | {f"{stem(word)}-", f"{stem(longer)}-"}


def roots(word: str, prefixes: tuple[str, ...], suffixes: tuple[str, ...]) -> frozenset[str]:
    """Return `word` without one beginning, one ending, or both.

    >>> sorted(roots("pendaftaran", ("pen",), ("an",)))
    ['daftar', 'daftaran', 'pendaftar', 'pendaftaran']
    """
    if any(c.isdigit() for c in word):
        return frozenset({word})
    starts = {word, *(word[len(p) :] for p in prefixes if word.startswith(p))}
    ends = {w.removesuffix(s) for w in starts for s in suffixes}
    return frozenset(w for w in starts | ends if len(w) >= LEAST_ROOT or w == word)


@cache
def lexicon(words: RewriteWords) -> Lexicon:
    """Return the table of one language's words."""
    phrases: dict[tuple[str, ...], set[Facet]] = {}
    beginnings: dict[str, set[Facet]] = {}
    for text, facet in _entries(words):
        if text.endswith("*"):
            beginnings.setdefault(text[:-1], set()).add(facet)
            continue
        key = tuple(text.split()) if words.spaced else tuple(text)
        phrases.setdefault(key, set()).add(facet)
        if words.spaced and not words.prefixes and len(key) == 1 and facet.kind not in _EXACT:
            for form in (stem(text), stem(f"{text}d") if text.endswith("e") else stem(text)):
                phrases.setdefault((f"{form}-",), set()).add(facet)
    return Lexicon(
        words,
        {key: frozenset(value) for key, value in phrases.items()},
        {key: frozenset(value) for key, value in beginnings.items()},
        max(map(len, phrases), default=1),
    )


_EXACT = frozenset({"function", "spared", "marker", "agent", "conjunction", "negation", "number"})
"""What only a word as it is listed says; the others are recognised by their stem too."""


def _entries(words: RewriteWords) -> Iterator[tuple[str, Facet]]:
    yield from _each("function", words.function)
    yield from _each("negation", words.negations)
    yield from _each("spared", words.not_negations)
    yield from _each("marker", words.markers)
    yield from _each("agent", words.agents)
    yield from _each("conjunction", words.conjunctions)
    for i, group in enumerate(words.synonyms):
        yield from ((word, Facet("synonym", i)) for word in alternatives(group))
    for i, group in enumerate(words.units):
        yield from ((word, Facet("unit", i)) for word in alternatives(group))
    yield from ((word, Facet("number", i)) for i, word in enumerate(words.numbers, 2) if word)
    yield from ((word, Facet("number", i)) for i, word in enumerate(words.ordinals, 2) if word)
    axes: tuple[tuple[FacetKind, tuple[tuple[str, ...], ...]], ...]
    axes = (("relation", words.relations), ("opposite", words.opposites))
    for kind, pairs in axes:
        for axis, sides in enumerate(pairs):
            for side, text in enumerate(sides):
                yield from ((word, Facet(kind, axis, side)) for word in alternatives(text))


def _each(kind: FacetKind, words: Iterable[str]) -> Iterator[tuple[str, Facet]]:
    return ((word, Facet(kind)) for text in words for word in alternatives(text))
