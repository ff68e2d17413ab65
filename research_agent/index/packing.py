"""How vectors and texts are kept in bytes: 32-bit floats; compressed."""

import zlib
from array import array
from collections.abc import Iterable, Sequence


def packed(vector: Sequence[float]) -> bytes:
    r"""Return the bytes of a vector.

    >>> packed([1.0, 0.0])
    b'\x00\x00\x80?\x00\x00\x00\x00'
    """
    return array("f", vector).tobytes()


def unpacked(blob: bytes, dimension: int) -> list[float]:
    """Return the vector in `blob`; raises ValueError where it has not that many numbers.

    >>> unpacked(packed([0.5, -1.0]), 2)
    [0.5, -1.0]
    """
    numbers = array("f")
    numbers.frombytes(blob)
    if len(numbers) != dimension:
        raise ValueError(f"a vector of {len(numbers)} numbers among those of {dimension}")
    return numbers.tolist()


def storable(text: str) -> str:
    """Return a text with its half characters (lone surrogates) replaced, as SQLite takes it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def packed_text(text: str) -> bytes:
    """Return a text, compressed; halves of characters stay as they are.

    >>> unpacked_text(packed_text("a key"))
    'a key'
    """
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked_text(blob: bytes) -> str:
    """Return the text of `packed_text`; raises ValueError for anything else."""
    try:
        return zlib.decompress(blob).decode("utf-8", "surrogatepass")
    except zlib.error as error:
        raise ValueError(f"a page's text cannot be unpacked: {error}") from error


def unpacked_pages(rows: Iterable[tuple[int, bytes]]) -> tuple[str, ...]:
    """Return the texts of pages in order, "" for a page without one."""
    texts = {page: unpacked_text(blob) for page, blob in rows}
    return tuple(texts.get(page, "") for page in range(1, max(texts, default=0) + 1))
