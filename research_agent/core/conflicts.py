"""Where another document gives another value for what an answer says.

Only what is surely about the same thing is told: a reader is not to be sent after differences
that are none. The rules and what they were measured on stand in docs/algorithms.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from research_agent.core.claims import Claim, is_shown
from research_agent.core.evidence import Evidence
from research_agent.core.quoting import spans
from research_agent.core.statements import (
    Statement,
    Value,
    differ,
    read_cells,
    read_statement,
    units_of,
)
from research_agent.core.support import content_words
from research_agent.core.types import Chunk
from research_agent.core.words import fold

LEAST_ALIKE = 0.6
"""Share of the words of two sentences that both have to hold, of all that one of them holds."""
LEAST_WORDS = 3
"""Words, besides values and names, that two sentences about one thing have in common."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two documents with different values of one thing."""

    claim: str
    """The sentence of the answer."""
    value: str
    key: str
    """The evidence that carries the sentence."""
    doc_id: str
    date: str
    """Of the document, ISO 8601; empty where it has none."""
    other_value: str
    other_key: str
    other_doc_id: str
    other_date: str
    other_quote: str
    """The words of the other document that give the other value."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The statements of one chunk of the evidence."""

    item: Evidence
    sentences: tuple[Statement, ...]
    cells: tuple[Statement, ...]
    units: frozenset[str]


def conflicts_of(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Return what other documents of the evidence say otherwise, each document once a claim.

    >>> from research_agent.core.support import Support
    >>> from research_agent.core.types import Hit
    >>> old = Chunk("a", "rules 2023", "Each clerk gets 25 days of paid leave.", date="2023")
    >>> new = Chunk("b", "rules 2024", "Each clerk gets 30 days of paid leave.", date="2024")
    >>> said = Claim(old.text, ("c1",), (Support(1.0, old.text),), "supported")
    >>> found = conflicts_of([said], [Evidence("c1", Hit(old)), Evidence("c2", Hit(new))])
    >>> [(one.value, one.date, one.other_value, one.other_date) for one in found]
    [('25 days', '2023', '30 days', '2024')]
    """
    shown = [claim for claim in claims if is_shown(claim) and any(map(str.isdigit, claim.text))]
    documents = {item.hit.chunk.doc_id for item in evidence}
    if not shown or len(documents) < 2:  # noqa: PLR2004 (two are needed to disagree)
        return ()
    read = [_read(item) for item in evidence]
    found: dict[tuple[str, str], Conflict] = {}
    for claim in shown:
        for conflict in _of_claim(claim, read):
            found.setdefault((claim.text, conflict.other_doc_id), conflict)
    return tuple(found.values())


def _read(item: Evidence) -> _Read:
    chunk = item.hit.chunk
    text = chunk.text
    sentences = spans(chunk) if chunk.kind in {"text", "list"} else ()
    told = (read_statement(text[start:end]) for start, end in sentences)
    return _Read(item, tuple(filter(None, told)), tuple(read_cells(chunk)), units_of(chunk))


def _of_claim(claim: Claim, read: Sequence[_Read]) -> Iterator[Conflict]:
    """Yield what other documents say otherwise than one claim; nothing where any agrees."""
    if not claim.keys:
        return
    own = next((one for one in read if one.item.key == claim.keys[0]), None)
    said = list(_said(claim, own)) if own else []
    if own is None or not said:
        return
    here = own.item.hit.chunk
    cited = {one.item.hit.chunk.doc_id for one in read if one.item.key in claim.keys}
    for doc_id in dict.fromkeys(one.item.hit.chunk.doc_id for one in read):
        theirs = [one for one in read if one.item.hit.chunk.doc_id == doc_id]
        pairs = [] if doc_id in cited else list(_pairs(said, theirs, here))
        if not pairs or any(value is None for *_, value in pairs):
            continue
        statement, mine, there, value = pairs[0]
        if value and _is_plain(said, own):
            yield _conflict(claim, own.item, mine, there, statement, value)


def _said(claim: Claim, own: _Read) -> Iterator[Statement]:
    """Yield the statements of a claim: its own, and those of its quote that have its values."""
    mine = read_statement(claim.text)
    if mine is None:
        return
    yield mine
    words = content_words(claim.text)
    numbers = {value.text for value in mine.values}
    quote = fold(claim.quotes[0].quote) if claim.quotes else ""
    for statement in chain(own.sentences, own.cells):
        same = numbers & {value.text for value in statement.values}
        if same and fold(statement.quote) in quote and content_words(statement.label) <= words:
            yield statement


def _pairs(
    said: Sequence[Statement], theirs: Sequence[_Read], here: Chunk
) -> Iterator[tuple[Statement, Value, _Read, Value | None]]:
    """Yield what a document says of the same thing: the value, None where it is the same one."""
    for one in theirs:
        there = one.item.hit.chunk
        for other in chain(one.sentences, one.cells):
            for mine in said:
                if _is_same_thing(mine, other, here, there, one.units):
                    ours, value = _other_value(mine, other) or (mine.values[0], None)
                    yield other, ours, one, value


def _other_value(mine: Statement, other: Statement) -> tuple[Value, Value] | None:
    """Return the one pair of values that differ; None where none does."""
    pairs = zip(mine.values, other.values, strict=True)
    return next(((a, b) for a, b in pairs if _values_differ(a, b, other)), None)


def _values_differ(one: Value, other: Value, cell: Statement) -> bool:
    return differ(Value(one.text, other.unit) if cell.label else one, other)


def _is_same_thing(
    mine: Statement, other: Statement, here: Chunk, there: Chunk, units: frozenset[str]
) -> bool:
    """Return whether two statements give values of the same attribute of the same thing."""
    if len(mine.values) != len(other.values):
        return False
    if mine.label and other.label:
        named = mine.label == other.label and _is_name(mine.label, here, there)
        return named and mine.words == other.words and mine.values[0].unit == other.values[0].unit
    if mine.label:
        return False
    if other.label:
        return _is_cell_of(mine, other, units)
    alike = len(mine.words & other.words)
    return (
        not mine.words & OF_ITSELF
        and mine.names == other.names
        and mine.bounds == other.bounds
        and [value.unit for value in mine.values] == [value.unit for value in other.values]
        and (alike + len(mine.names) >= LEAST_WORDS or mine.words == other.words != frozenset())
        and alike >= LEAST_ALIKE * len(mine.words | other.words)
        and (bool(mine.names) or _are_versions(here, there))
        and sum(differ(a, b) for a, b in zip(mine.values, other.values, strict=True)) <= 1
    )


def _is_cell_of(mine: Statement, cell: Statement, units: frozenset[str]) -> bool:
    """Return whether a sentence says what a cell says: its row, its column and the unit."""
    row = content_words(cell.label)
    words = mine.words | {word for name in mine.names for word in content_words(name)}
    unit = mine.values[0].unit
    return (
        bool(mine.names)
        and len(mine.values) == 1
        and mine.names == {cell.label}
        and not mine.bounds
        and row | cell.words <= words
        and len(mine.words - cell.words - row) <= 1
        and bool(unit)
        and (unit == cell.values[0].unit or unit in units)
    )


def _is_name(label: str, here: Chunk, there: Chunk) -> bool:
    """Return whether the name of a row means the same in both documents."""
    return bool(re.search(r"[a-z].*\d|\d.*[a-z]", label)) or _are_versions(here, there)


def _are_versions(here: Chunk, there: Chunk) -> bool:
    """Return whether two documents are, by their names or titles, versions of one.

    >>> _are_versions(Chunk("x", "rules-2023 (draft)", ""), Chunk("y", "Rules 2024 final", ""))
    True
    """
    by_name = _root(here.doc_id) == _root(there.doc_id) != frozenset()
    by_title = _root(here.title) == _root(there.title) != frozenset()
    return by_name or by_title


def _root(name: str) -> frozenset[str]:
    """Return the words of a name without numbers and the words for versions."""
    words = re.split(r"[\W_\d]+", fold(name))
    return frozenset(word for word in words if len(word) > 1 and word not in VERSIONS)


_VERSION_TEXT = (
    "draft final initial public ipd fpd version ver rev revision revised update updated new "
    "old edition copy latest current previous published approved entwurf rancangan revisi jan "
    "feb mar apr may jun jul aug sep oct nov dec"
)
VERSIONS = frozenset(_VERSION_TEXT.split())


OF_ITSELF = content_words(
    "published approved issued document standard report draft revision version "
    "supersedes comments page author copyright effective dated"
)
"""What documents say of themselves, where each one has its own values."""


def _is_plain(said: Sequence[Statement], own: _Read) -> bool:
    """Return whether the answer's own chunk gives no other value in the same words."""
    mine = {(value.text, value.unit) for statement in said for value in statement.values}
    alike = [
        statement for statement in own.sentences if any(_is_like(statement, one) for one in said)
    ]
    there = {(value.text, value.unit) for statement in alike for value in statement.values}
    return there <= mine


def _is_like(one: Statement, other: Statement) -> bool:
    return one.names == other.names and one.words == other.words and one.bounds == other.bounds


def _conflict(
    claim: Claim, own: Evidence, value: Value, there: _Read, other: Statement, theirs: Value
) -> Conflict:
    here, other_chunk = own.hit.chunk, there.item.hit.chunk
    return Conflict(
        claim=claim.text,
        value=value.spelled,
        key=own.key,
        doc_id=here.doc_id,
        date=here.date,
        other_value=theirs.spelled,
        other_key=there.item.key,
        other_doc_id=other_chunk.doc_id,
        other_date=other_chunk.date,
        other_quote=" ".join(other.quote.split()),
    )
