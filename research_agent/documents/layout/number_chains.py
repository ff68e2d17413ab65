"""Numbers that count up from 1 among others that do not belong to them."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Chain(Generic[T]):
    """One count after another, each kept if it is long enough and strong for the most part.

    >>> chain = Chain[str](2)
    >>> for place, number in (("a", 1), ("b", 2), ("c", 7), ("d", 1)):
    ...     chain.add(place, number)
    >>> chain.close()
    ['a', 'b']
    """

    def __init__(self, least: int) -> None:
        """Keep counts of at least `least` numbers."""
        self._least = least
        self._kept: list[T] = []
        self._open: list[tuple[T, int, bool]] = []

    def add(self, place: T, number: int, *, strong: bool = True) -> None:
        """Look at the next number; a weak one may be something else and ends nothing.

        Of a count that has begun, one number may be missing before a strong one.
        """
        while strong and self._open and not self._open[-1][2] and self._open[-1][1] >= number:
            self._open.pop()
        last = self._open[-1][1] if self._open else 0
        skipped = strong and len(self._open) > 1 and number == last + 2
        if strong and number != last + 1 and not skipped:
            self.close()
            last = 0
        if number == last + 1 or skipped:
            self._open.append((place, number, strong))

    def close(self) -> list[T]:
        """End the count that is open, and return the places of all that are kept."""
        strong = sum(item[2] for item in self._open)
        if len(self._open) >= self._least and 2 * strong >= len(self._open):
            self._kept.extend(place for place, _, _ in self._open)
        self._open = []
        return self._kept
