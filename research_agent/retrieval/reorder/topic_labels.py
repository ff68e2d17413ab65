"""Codes: what a text is about (domain), what it does (task), and how (modifier).

One code book serves questions and chunks, patterns and models: a code names labels, never
numbers, so labels that stand next to each other in the book are not similar for that. A facet
that nobody could tell is empty, which no label is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Literal

from research_agent.text.words import fold

Facet = Literal["domain", "task", "modifier"]
FACETS: tuple[Facet, ...] = ("domain", "task", "modifier")


@dataclass(frozen=True, slots=True)
class Code:
    """The labels of a text; an empty one is unknown."""

    domain: str = ""
    task: str = ""
    modifier: str = ""

    def __str__(self) -> str:
        """Return the code as it is kept: labels with a dot between them, "-" for unknown.

        >>> str(Code("software", task="define"))
        'software.define.-'
        """
        return ".".join(label or "-" for label in labels(self))


def labels(code: Code) -> tuple[str, str, str]:
    """Return the labels in the order of `FACETS`."""
    return (code.domain, code.task, code.modifier)


@dataclass(frozen=True)  # (no slots: the compiled patterns are kept)
class Label:
    """A label and the patterns that tell it, matched in folded text from a word's beginning.

    A pattern is a regular expression without groups that capture.
    """

    name: str
    patterns: tuple[str, ...]
    """In chunks, and in questions where those have none of their own."""
    asked: tuple[str, ...] = ()
    """In questions."""

    @cached_property
    def in_text(self) -> re.Pattern[str]:
        """The compiled patterns for chunks."""
        return _compiled(self.patterns)

    @cached_property
    def in_question(self) -> re.Pattern[str]:
        """The compiled patterns for questions."""
        return _compiled(self.asked or self.patterns)


@dataclass(frozen=True, slots=True)
class CodeBook:
    """The labels of each facet; of labels that fit equally well the first one holds."""

    domain: tuple[Label, ...]
    task: tuple[Label, ...]
    modifier: tuple[Label, ...]

    def names(self, facet: Facet) -> tuple[str, ...]:
        """Return the labels of a facet."""
        return tuple(label.name for label in self._facet(facet))

    def code_of(self, text: str, *, question: bool = False) -> Code:
        """Return the code of a text by its patterns.

        A facet gets the label of which the most patterns are found; of none, no label.
        """
        folded = fold(text)
        return Code(*(_best(self._facet(facet), folded, question=question) for facet in FACETS))

    def checked(self, given: Mapping[str, object]) -> Code:
        """Return the code that a model wrote, without labels that the book does not have.

        >>> CodeBook((Label("law", ("court",)),), (), ()).checked({"domain": "Law", "task": "x"})
        Code(domain='law', task='', modifier='')
        """
        said = (str(given.get(facet, "")).strip().lower() for facet in FACETS)
        pairs = zip(FACETS, said, strict=True)
        return Code(*(name if name in self.names(facet) else "" for facet, name in pairs))

    def schema(self) -> dict[str, object]:
        """Return the JSON schema of a code; every facet may be "unknown"."""
        allowed = {f: {"type": "string", "enum": [*self.names(f), "unknown"]} for f in FACETS}
        return {
            "type": "object",
            "properties": allowed,
            "required": list(FACETS),
            "additionalProperties": False,
        }

    def digest(self) -> str:
        """Return a hash of the whole book: codes of another one are not to be compared."""
        return sha256(repr(self).encode()).hexdigest()[:16]

    def _facet(self, facet: Facet) -> tuple[Label, ...]:
        return {"domain": self.domain, "task": self.task, "modifier": self.modifier}[facet]


@dataclass(frozen=True, slots=True)
class FacetWeights:
    """How much an equal label counts, facet by facet."""

    domain: float = 0.4
    task: float = 0.4
    modifier: float = 0.2


@dataclass(frozen=True, slots=True)
class CodeCache:
    """Codes by the text they are of; the caller keeps it as long as it likes."""

    codes: dict[str, Code] = field(default_factory=dict)

    def of(self, text: str, book: CodeBook, *, question: bool = False) -> Code:
        """Return the code of a text by patterns, found once a text and book."""
        key = code_key(text, book, question=question)
        if key not in self.codes:
            self.codes[key] = book.code_of(text, question=question)
        return self.codes[key]


def code_key(text: str, book: CodeBook, *, question: bool = False, model: str = "") -> str:
    """Return the key under which a code is kept: a hash of everything that it depends on."""
    parts = (book.digest(), model, "question" if question else "text", text)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def code_similarity(asked: Code, code: Code, weights: FacetWeights | None = None) -> float | None:
    """Return the weight of the labels that both share, as a share of the weight asked for.

    In [0, 1]; a label that the chunk does not have is no match. None where nothing was asked for.

    >>> code_similarity(Code("law", "define"), Code("law", "compare"), FacetWeights(3, 1, 1))
    0.75
    >>> code_similarity(Code(), Code("law")) is None
    True
    """
    weights = weights or FacetWeights()
    rows = [
        (getattr(weights, facet), wanted == found)
        for facet, wanted, found in zip(FACETS, labels(asked), labels(code), strict=True)
        if wanted
    ]
    total = sum(weight for weight, _ in rows)
    return sum(weight for weight, same in rows if same) / total if total else None


def code_channel(
    asked: Code, codes: Mapping[str, Code], weights: FacetWeights | None = None
) -> dict[str, float]:
    """Return the similarity of each chunk's code, by chunk id; empty where nothing was asked for.

    >>> code_channel(Code("law"), {"a": Code("law"), "b": Code("art")})
    {'a': 1.0, 'b': 0.0}
    """
    found = {chunk_id: code_similarity(asked, code, weights) for chunk_id, code in codes.items()}
    return {chunk_id: value for chunk_id, value in found.items() if value is not None}


def _best(choices: Sequence[Label], folded: str, *, question: bool) -> str:
    counts = [_found(_pattern(label, question), folded) for label in choices]
    most = max(counts, default=0)
    return choices[counts.index(most)].name if most else ""


def _found(patterns: re.Pattern[str], folded: str) -> int:
    """Return how many different patterns are found."""
    return len({match.lastindex for match in patterns.finditer(folded)})


def _pattern(label: Label, question: bool) -> re.Pattern[str]:  # noqa: FBT001 (private, one caller)
    return label.in_question if question else label.in_text


def _compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return one expression with a group a pattern."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'({pattern})' for pattern in patterns)})")
