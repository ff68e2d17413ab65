"""What two answers to the same question do not both say; no model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from research_agent.core.claim_checks.reading import Statement, Word, read
from research_agent.core.claims import bare
from research_agent.core.named_things import named_in
from research_agent.core.refusals import is_refusal
from research_agent.core.sentences import sentence_spans
from research_agent.core.words import fold

ItemKind = Literal["number", "identifier", "name", "word"]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sentence of the first answer says and the second answer does not."""

    sentence: str
    share: float
    """Of its values, or of its other words, whichever is more; 0 to 1."""
    kind: ItemKind = "word"
    """Of the values that follow; "word" where there are none."""
    own: tuple[str, ...] = ()
    """Its numbers, identifiers or names that the second answer does not have."""
    other: tuple[str, ...] = ()
    """Those of the same kind in the second answer's nearest sentence that the first has not."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far two answers differ."""

    value: float
    """Share of what both say that only one says, of values or of other words; 0 to 1."""
    sentences: tuple[Difference, ...] = ()
    """The sentences of the first answer that the second does not say whole, in their order."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A word of an answer that says something."""

    kind: ItemKind
    text: str
    word: Word

    @property
    def is_value(self) -> bool:
        return self.kind != "word"


def disagreement(sentences: Sequence[str], second: str) -> Disagreement | None:
    """Compare the sentences of an answer with a second answer; None where one says nothing.

    Values (numbers, identifiers, names) and other content words are counted apart, so that one
    wrong number among twenty right words is not lost: of each kind the items of both answers that
    the other one lacks are divided by all items of both, and the larger share counts. Number words
    are numbers, synonyms and inflected words are the same (`core.claim_checks`). A refusal agrees
    with no answer.

    >>> found = disagreement(["The hose has 12 m."], "The hose has 16 m [c1].")
    >>> found.value, found.sentences[0].own, found.sentences[0].other
    (1.0, ('12',), ('16',))
    >>> disagreement(["The hose has 12 m."], "It is a hose of twelve m.").value
    0.0
    """
    theirs = _sentences(second)
    mine = [sentence for sentence in sentences if _items(sentence)]
    if not mine:
        return None
    if is_refusal(second):
        return Disagreement(1.0)
    if not any(map(_items, theirs)):
        return None
    whole, other = read("\n\n".join(mine)), read("\n\n".join(theirs))
    lacking = [item for one in mine for item in _items(one) if not _is_said(item, other)]
    added = [item for one in theirs for item in _items(one) if not _is_said(item, whole)]
    every = [item for one in (*mine, *theirs) for item in _items(one)]
    value = _share([*lacking, *added], every)
    found = [_difference(one, other, theirs, whole) for one in mine]
    return Disagreement(value, tuple(one for one in found if one.share))


def _sentences(text: str) -> list[str]:
    found = (bare(text[start:end]) for start, end in sentence_spans(text))
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


@lru_cache(maxsize=256)
def _items(sentence: str) -> tuple[_Item, ...]:
    """Return the words of a sentence that say something, each with its kind."""
    named = {fold(name) for name in named_in(sentence)}
    found = []
    for word in read(sentence).words:
        kind: ItemKind = "word"
        if word.value:
            kind = "number"
        elif word.name:
            kind = "identifier" if any(map(str.isdigit, word.text)) else "name"
        elif fold(word.text) in named:
            kind = "name"
        elif not word.content:
            continue
        found.append(_Item(kind, word.text, word))
    return tuple(found)


def _is_said(item: _Item, statement: Statement) -> bool:
    return bool(statement.like(item.word))


def _share(lacking: Sequence[_Item], every: Sequence[_Item]) -> float:
    """Return the share of values that are lacking, or of other words: the larger one."""
    shares = [0.0]
    for kind in (True, False):
        of = sum(item.is_value is kind for item in every)
        shares.append(sum(item.is_value is kind for item in lacking) / of if of else 0.0)
    return max(shares)


def _difference(
    sentence: str, other: Statement, theirs: Sequence[str], whole: Statement
) -> Difference:
    items = _items(sentence)
    lacking = [item for item in items if not _is_said(item, other)]
    share = _share(lacking, items)
    kinds = [item.kind for item in lacking if item.is_value]
    if not kinds:
        return Difference(sentence, share)
    kind = min(kinds, key=("number", "identifier", "name").index)
    own = tuple(dict.fromkeys(item.text for item in lacking if item.kind == kind))
    nearest = max(theirs, key=lambda one: _common(items, read(one)))
    instead = (i for i in _items(nearest) if i.kind == kind and not _is_said(i, whole))
    return Difference(sentence, share, kind, own, tuple(dict.fromkeys(i.text for i in instead)))


def _common(items: Sequence[_Item], statement: Statement) -> int:
    return sum(_is_said(item, statement) for item in items)
