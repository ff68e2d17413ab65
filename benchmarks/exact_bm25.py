"""BM25 computed as it is written down, to compare engines with."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Weight = Callable[[int, int], float]
"""What a word counts, by the number of all rows and of those that have it."""


def lucene(rows: int, having: int) -> float:
    """Return Lucene's weight of a word, which is always positive.

    >>> round(lucene(100, 9), 2), round(lucene(100, 90), 2)
    (2.36, 0.11)
    """
    return math.log(1 + (rows - having + 0.5) / (having + 0.5))


def fts5(rows: int, having: int) -> float:
    """Return FTS5's weight of a word: next to nothing for what half of the rows have.

    >>> round(fts5(100, 9), 2), fts5(100, 90)
    (2.27, 1e-06)
    """
    return max(1e-6, math.log((rows - having + 0.5) / (having + 0.5)))


@dataclass(frozen=True, slots=True)
class Counted:
    """How often each word is in a row, or how much that counts, and how many words it has."""

    row_id: str
    counts: Mapping[str, float]
    length: int


def ranked(
    queries: Sequence[Sequence[str]],
    rows: Iterable[Counted],
    *,
    k: int,
    k1: float = 1.2,
    b: float = 0.75,
    weight: Weight = lucene,
) -> list[list[str]]:
    """Return the ids of the `k` best rows for each query, best first; ties by id.

    >>> rows = [Counted("a", {"key": 1}, 1), Counted("b", {"key": 2}, 2)]
    >>> ranked([["key", "absent"]], [*rows, Counted("c", {"lattice": 1}, 1)], k=2)
    [['b', 'a']]
    """
    postings: dict[str, list[tuple[str, float]]] = {word: [] for words in queries for word in words}
    lengths: dict[str, int] = {}
    for row in rows:
        lengths[row.row_id] = row.length
        for word in postings.keys() & row.counts.keys():
            postings[word].append((row.row_id, row.counts[word]))
    mean = sum(lengths.values()) / max(1, len(lengths))
    norms = {row_id: k1 * (1 - b + b * length / mean) for row_id, length in lengths.items()}
    best = []
    for query in queries:
        scores: dict[str, float] = {}
        for word in query:
            rarity = weight(len(lengths), len(postings[word]))
            for row_id, count in postings[word]:
                gain = rarity * count / (count + norms[row_id])
                scores[row_id] = scores.get(row_id, 0.0) + gain
        order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        best.append([row_id for row_id, _ in order[:k]])
    return best


def overlap(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the share of `wanted` that was found; 1 where nothing is wanted.

    >>> overlap(["a", "x"], ["a", "b"]), overlap([], [])
    (0.5, 1.0)
    """
    return len(set(found) & set(wanted)) / len(wanted) if wanted else 1.0
