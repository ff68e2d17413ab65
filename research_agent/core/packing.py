"""How a vector is kept in bytes: 32-bit floats, the lowest byte first."""

import sys
from array import array
from collections.abc import Sequence


def packed(vector: Sequence[float]) -> bytes:
    r"""Return the bytes of a vector.

    >>> packed([1.0, 0.0])
    b'\x00\x00\x80?\x00\x00\x00\x00'
    """
    return _ordered(array("f", vector)).tobytes()


def unpacked(blob: bytes, dimension: int) -> list[float]:
    """Return the vector in `blob`; raises ValueError where it has not that many numbers.

    >>> unpacked(packed([0.5, -1.0]), 2)
    [0.5, -1.0]
    """
    numbers = array("f")
    numbers.frombytes(blob)
    if len(numbers) != dimension:
        raise ValueError(f"a vector of {len(numbers)} numbers among those of {dimension}")
    return _ordered(numbers).tolist()


def _ordered(numbers: "array[float]") -> "array[float]":
    """Swap the bytes on the few machines that keep the highest one first."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
