"""A sentence beside a quote: what every check looks at."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from research_agent.core.claim_checks.pairing import Pairs, paired
from research_agent.core.claim_checks.reading import Statement, Word, read


@dataclass(frozen=True)
class Compared:
    """A sentence, a quote and the pairs of their words."""

    said: Statement
    quoted: Statement
    around: str = ""
    """What stands around the quote and belongs to it: its chunk, headings, a table's head."""

    @cached_property
    def context(self) -> Statement:
        """What stands around the quote, as words."""
        return read(self.around)

    @cached_property
    def pairs(self) -> Pairs:
        """For each word of the sentence the place of its word in the quote."""
        return paired(self.said, self.quoted)

    @cached_property
    def back(self) -> dict[int, int]:
        """For places in the quote the place in the sentence."""
        return {other: place for place, other in enumerate(self.pairs) if other is not None}

    @cached_property
    def used(self) -> frozenset[int]:
        """The sentences of the quote that hold words of the sentence."""
        return frozenset(self.quoted.words[other].sentence for other in self.back)

    def quoted_words(self) -> Iterator[tuple[int, Word]]:
        """Yield the words of the used sentences of the quote, with their places."""
        for place, word in enumerate(self.quoted.words):
            if word.sentence in self.used:
                yield place, word


def clause(statement: Statement, place: int) -> tuple[int, ...]:
    """Return the places of the words in one clause."""
    own = statement.words[place]
    return tuple(i for i, word in enumerate(statement.words) if word.clause == own.clause)


def behind(statement: Statement, place: int, count: int) -> tuple[int, ...]:
    """Return the next `count` words that say something, in the same sentence."""
    found: list[int] = []
    for i in range(place + 1, len(statement.words)):
        word = statement.words[i]
        if word.sentence != statement.words[place].sentence or len(found) == count:
            break
        if word.content or word.value:
            found.append(i)
    return tuple(found)
