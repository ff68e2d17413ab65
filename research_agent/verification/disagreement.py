"""What two answers to the same question do not both say; no model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.answering.missing_parts import read_missing
from research_agent.text.content_words import content_words
from research_agent.text.sentences import sentence_spans
from research_agent.types.claims import bare


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sentence of the first answer says and the second answer does not."""

    sentence: str
    share: float
    """Of its values, or of its other words, whichever is more; 0 to 1."""
    own: tuple[str, ...] = ()
    """Its words with digits that the second answer does not have, as they are compared."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far two answers differ."""

    value: float
    """Share of what both say that only one says, of values or of other words; 0 to 1."""
    sentences: tuple[Difference, ...] = ()
    """The sentences of the first answer that the second does not say whole, in their order."""


def disagreement(sentences: Sequence[str], second: str) -> Disagreement | None:
    """Compare the sentences of an answer with a second answer; None where one says nothing.

    Values (words with digits) and other content words are counted apart, so that one wrong number
    among twenty right words is not lost: of each kind the words that only one answer has are
    divided by those of both, and the larger share counts. A refusal agrees with no answer.

    >>> found = disagreement(["The hose has 12 m."], "The hose has 16 m [c1].")
    >>> found.value, found.sentences[0].own
    (1.0, ('12',))
    >>> disagreement(["The hose has 12 m."], "12 m has the hose.").value
    0.0
    """
    mine = {one: content_words(one) for one in sentences if content_words(one)}
    if not mine:
        return None
    said = read_missing(second)
    if said.missing and not said.text:
        return Disagreement(1.0)
    spans = sentence_spans(said.text)
    theirs = frozenset[str]().union(*(content_words(bare(said.text[a:b])) for a, b in spans))
    if not theirs:
        return None
    own = frozenset[str]().union(*mine.values())
    found = (_difference(one, words, theirs) for one, words in mine.items())
    return Disagreement(_share(own ^ theirs, own | theirs), tuple(x for x in found if x.share))


def _share(lacking: frozenset[str], every: frozenset[str]) -> float:
    """Return the share of values that are lacking, or of other words: the larger one."""
    shares = [0.0]
    for kind in (True, False):
        of = sum(_is_value(word) is kind for word in every)
        shares.append(sum(_is_value(word) is kind for word in lacking) / of if of else 0.0)
    return max(shares)


def _is_value(word: str) -> bool:
    return any(map(str.isdigit, word))


def _difference(sentence: str, words: frozenset[str], theirs: frozenset[str]) -> Difference:
    lacking = words - theirs
    return Difference(sentence, _share(lacking, words), tuple(sorted(filter(_is_value, lacking))))
