"""What is closed at the end of a `with` block."""

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """The base of what holds files, processes or threads; a `with` block closes it."""

    @abstractmethod
    def close(self) -> None:
        """Give everything back; calling it again does nothing."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, whatever has happened; an error goes on."""
        self.close()
