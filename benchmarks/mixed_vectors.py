"""Chunks with real vectors, and as many more as are wanted, mixed between neighbours.

A mixed vector is the mean of a chunk's vector and that of one of its nearest neighbours, with a
little noise, scaled to length one: it lies where real ones lie. Its text is half of the sentences
of each of the two.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.mixed_chunks import SEED, Mixture, halves, sentences
from research_agent.types import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEIGHBOURS = 10
NOISE = 0.01
"""Standard deviation of what is added to each number; some 0.2 in all."""
_ROWS = 500


@dataclass(frozen=True, slots=True)
class Embedded:
    """A chunk and its vector."""

    chunk: Chunk
    vector: Sequence[float]


def nearest(vectors: "NDArray[np.float32]", count: int) -> "NDArray[Any]":
    """Return the places of the `count` nearest others of each vector of length one.

    >>> import numpy as np
    >>> nearest(np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32), 1).tolist()
    [[1], [0], [1]]
    """
    import numpy as np

    found = []
    for start in range(0, len(vectors), _ROWS):
        part = vectors[start : start + _ROWS] @ vectors.T
        part[np.arange(len(part)), start + np.arange(len(part))] = -2.0
        found.append(np.argpartition(-part, count - 1, axis=1)[:, :count])
    return np.concatenate(found)


def blended(
    first: "NDArray[np.float32]", second: "NDArray[np.float32]", noise: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return the mean of two vectors with noise, of length one.

    >>> import numpy as np
    >>> one, other = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    >>> blended(one, other, np.zeros(2, np.float32)).round(3).tolist()
    [0.7070000171661377, 0.7070000171661377]
    """
    import numpy as np

    mixed = (first + second) / 2 + noise
    scaled: NDArray[np.float32] = (mixed / np.linalg.norm(mixed)).astype(np.float32)
    return scaled


def embedded_chunks(
    real: Sequence[Chunk], vectors: "NDArray[np.float32]", count: int
) -> Iterator[Embedded]:
    """Yield `count` chunks: the real ones with their vectors, then mixtures of neighbours."""
    import numpy as np

    chance, dice = random.Random(SEED), np.random.default_rng(SEED)  # noqa: S311 (no secret)
    known = [sentences(chunk.text) for chunk in real]
    for number in range(min(count, len(real))):
        yield Embedded(Mixture(real[number], known[number], number).chunk, vectors[number].tolist())
    near = nearest(vectors, NEIGHBOURS) if count > len(real) else None
    for number in range(len(real), count):
        one = chance.randrange(len(real))
        other = int(near[one][chance.randrange(NEIGHBOURS)])  # type: ignore[index]  # (there are more)
        noise = np.asarray(dice.normal(0, NOISE, vectors.shape[1]), dtype=np.float32)
        mixture = Mixture(real[one], halves(known[one], known[other], chance), number)
        yield Embedded(mixture.chunk, blended(vectors[one], vectors[other], noise).tolist())
