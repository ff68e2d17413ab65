"""Vectors of length one: the product of two is their cosine."""

import math
from collections.abc import Sequence


def unit_vector(vector: Sequence[float]) -> list[float]:
    """Return `vector` with length one; raises ValueError where it has no direction."""
    length = math.sqrt(math.fsum(value * value for value in vector))
    if not math.isfinite(length) or length == 0:
        raise ValueError("a vector without a direction")
    return [float(value) / length for value in vector]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors of length one; raises ValueError for different sizes."""
    return sum(a * b for a, b in zip(one, other, strict=True))
