"""How good a ranking is, by what has to be found.

The metrics equal those of trec_eval where hits are whole documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2


@dataclass(frozen=True, slots=True)
class Span:
    """Pages of a document, both ends included, counted from 1; or words of it."""

    doc_id: str
    start: int = 1
    """0: pages are not known."""
    end: int = 1
    text: str = ""
    """Of a hit its text, of a gold a quote."""


@dataclass(frozen=True, slots=True)
class Gold:
    """One thing that has to be found; any of its spans will do."""

    spans: tuple[Span, ...]
    grade: int = 1
    """How relevant it is; at least 1."""


def matches(hit: Span, gold: Gold) -> bool:
    r"""Return whether a hit shows one of the spans of a gold.

    Its pages overlap; of a span without pages it holds at least half of the quote's words in a
    row, and of one without a quote too the document is enough.

    >>> matches(Span("a", 4, 5), Gold((Span("a", 6, 6),)))
    False
    >>> matches(Span("a", text="A hose is\n5 m long."), Gold((Span("a", 0, 0, "hose is 5 m"),)))
    True
    """
    return any(hit.doc_id == span.doc_id and _shows(hit, span) for span in gold.spans)


def _shows(hit: Span, span: Span) -> bool:
    if span.start:
        return hit.start <= span.end and span.start <= hit.end
    return not span.text or holds(hit.text, span.text)


def holds(text: str, quote: str) -> bool:
    """Return whether a text has at least half of the words of a quote in a row.

    Only letters and digits count, so that line breaks and the bars of tables make no difference.

    >>> holds("long hose, and short", "a hose and short pipes"), holds("a hose", "a long hose")
    (True, False)
    """
    words = [solid for solid in map(_solid, quote.split()) if solid]
    need, found = -(-len(words) // 2), _solid(text)
    runs = ("".join(words[at : at + need]) for at in range(len(words) - need + 1))
    return any(run in found for run in runs)


def _solid(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def first_ranks(hits: Sequence[Span], golds: Sequence[Gold]) -> tuple[int | None, ...]:
    """Return the rank, from 1, of the first hit for each gold; None where there is none."""
    return tuple(
        next((rank for rank, hit in enumerate(hits, start=1) if matches(hit, gold)), None)
        for gold in golds
    )


def scores(hits: Sequence[Span], golds: Sequence[Gold], ks: Sequence[int]) -> dict[str, float]:
    """Return recall at each of `ks`, and reciprocal rank and nDCG at the last of them.

    A gold counts once, however many hits show it. The gain is the grade (linear, as in trec_eval),
    the discount log2(rank + 1); each hit earns one gold, the best that is left, so nDCG never
    passes 1. See Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418.
    """
    last = ks[-1]
    ranks = first_ranks(hits[:last], golds)
    best = min((rank for rank in ranks if rank), default=0)
    found = {f"recall@{k}": sum(bool(r and r <= k) for r in ranks) / (len(golds) or 1) for k in ks}
    gain = _ndcg(hits, golds, last)
    return found | {f"mrr@{last}": 1 / best if best else 0.0, f"ndcg@{last}": gain}


def _ndcg(hits: Sequence[Span], golds: Sequence[Gold], k: int) -> float:
    shown_by = {gold: sum(matches(hit, gold) for hit in hits[:k]) for gold in golds}
    left = sorted(golds, key=lambda gold: (-gold.grade, shown_by[gold]))
    best = sum(gold.grade / log2(rank + 1) for rank, gold in enumerate(left[:k], start=1))
    total = 0.0
    for rank, hit in enumerate(hits[:k], start=1):
        shown = next((gold for gold in left if matches(hit, gold)), None)
        if shown:
            left.remove(shown)
            total += shown.grade / log2(rank + 1)
    return total / best if best else 0.0
