"""Which texts mention a document, a section or a defined term by its name."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from research_agent.text.names import (
    Key,
    NameFinder,
    document_names,
    folded,
    heading_name,
    is_as_written,
    name_words,
    term_name,
)

MOST_CHUNKS = 0.02  # a name in a larger share of all chunks is too frequent to mean anything
LEAST_CHUNKS, CHUNKS = 10, 200
"""A name in no more chunks than the first is never too frequent, in more than the second always."""
MOST_DOCUMENTS = 3  # a title that more documents have is nobody's name
MOST_NAMES = 20  # mentions of one chunk at most


@dataclass(slots=True)
class _Meant:
    written: Key  # its words as first written
    titles: dict[int, int] = field(default_factory=dict)
    """Chunk by document: those that have the name as their title."""
    parts: dict[int, int] = field(default_factory=dict)
    """Chunk by document: those that have a section or a definition of this name."""

    def by(self, document: int) -> tuple[int, ...]:
        """Return the chunks that a text of `document` means.

        A section is meant in its own document, elsewhere only where it is the one of this name.
        """
        if self.titles:
            others = [chunk for owner, chunk in self.titles.items() if owner != document]
            return tuple(others) if len(self.titles) <= MOST_DOCUMENTS else ()
        if document in self.parts:
            return (self.parts[document],)
        return tuple(self.parts.values()) if len(self.parts) == 1 else ()


class Names:
    """All names of a corpus. Documents and chunks are numbers; copies of a document share one."""

    def __init__(self) -> None:
        self._meant: dict[Key, _Meant] = {}
        self._headings: dict[str, Key] = {}

    def add_document(self, document: int, chunk: int, *, title: str, doc_id: str) -> None:
        """Add the names of a document that begins at `chunk`."""
        for words in document_names(title, doc_id):
            self._of(words).titles.setdefault(document, chunk)

    def add_heading(self, document: int, chunk: int, heading: str) -> None:
        """Add a section that begins at `chunk`."""
        if words := heading_name(heading):
            self._of(words).parts.setdefault(document, chunk)
            self._headings[heading] = _key(words)

    def add_term(self, document: int, chunk: int, term: str) -> None:
        """Add a term that `chunk` defines."""
        if words := term_name(term):
            self._of(words).parts.setdefault(document, chunk)

    def _of(self, words: Key) -> _Meant:
        return self._meant.setdefault(_key(words), _Meant(words))

    def above(self, section: Sequence[str]) -> set[int]:
        """Return the names in the headings above a text."""
        keys = (self._headings.get(heading) for heading in section)
        return {self._numbers[key] for key in keys if key}

    @cached_property
    def _numbers(self) -> dict[Key, int]:
        return {key: number for number, key in enumerate(self._meant)}

    @cached_property
    def meant(self) -> tuple[_Meant, ...]:
        """What each name may mean, in the order in which they were added."""
        return tuple(self._meant.values())

    @cached_property
    def finder(self) -> NameFinder:
        """The automaton over all names; add nothing once it is made."""
        return NameFinder(self._meant)


class Mentions:
    """The mentions in all texts of a corpus, in a few bytes each.

    >>> names = Names()
    >>> names.add_document(1, 10, title="The Tide API", doc_id="api")
    >>> names.add_document(2, 20, title="Harbour Rules", doc_id="rules")
    >>> mentions = Mentions(names, chunks=1)
    >>> mentions.add(1, 11, "As the Harbour Rules say, and the Tide API itself.")
    >>> list(mentions.edges())
    [(11, 20, 0)]
    """

    def __init__(self, names: Names, *, chunks: int) -> None:
        """Begin without a text; `chunks` is the number of chunks in the corpus."""
        self._names = names
        self._counts = array("l", [0] * len(names.meant))
        self._found = array("q")
        self._most = min(CHUNKS, max(LEAST_CHUNKS, MOST_CHUNKS * chunks))

    def add(self, document: int, chunk: int, text: str, section: Sequence[str] = ()) -> None:
        """Look for names in the text of one chunk, other than those of its `section`."""
        written: Sequence[str] = ()
        seen = self._names.above(section)
        for name, start, end in self._names.finder.find(folded(text)):
            if name in seen or self._counts[name] > self._most:
                continue
            written = written or name_words(text)
            if is_as_written(written[start:end], self._names.meant[name].written):
                seen.add(name)
                self._counts[name] += 1
                self._found.extend((document, chunk, name))

    def edges(self) -> Iterator[tuple[int, int, int]]:
        """Yield source, target and place of each mention in order, without too frequent names."""
        before, place = -1, 0
        for i in range(0, len(self._found), 3):
            document, chunk, name = self._found[i : i + 3]
            before, place = chunk, place if chunk == before else 0
            if self._counts[name] > self._most or place >= MOST_NAMES:
                continue
            for target in self._names.meant[name].by(document):
                if target != chunk:
                    yield chunk, target, place
                    place += 1


def _key(words: Key) -> Key:
    return tuple(word.casefold() for word in words)
