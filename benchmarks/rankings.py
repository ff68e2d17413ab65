"""What one way of searching found for each question of a data set."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.metrics import Span


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: where it is and how many characters it has."""

    span: Span
    chars: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits for one question, best first."""

    hits: tuple[Found, ...]
    milliseconds: float

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places of the hits."""
        return tuple(hit.span for hit in self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way of searching, over all questions."""

    name: str
    chunks: int
    """Chunks in its index."""
    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    """By question id."""
    peer: bool = False


def whole_documents(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return each document once, where its first hit stands, without pages.

    >>> whole_documents([Span("a", 3, 4), Span("b"), Span("a")])
    (Span(doc_id='a', start=1, end=1), Span(doc_id='b', start=1, end=1))
    """
    return tuple(Span(doc_id) for doc_id in dict.fromkeys(span.doc_id for span in spans))
