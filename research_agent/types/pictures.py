"""A page of a document as a picture, and where words are on it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a picture, in its pixels, from the upper left corner."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is shown."""

    kind: str
    """The picture's format: "png" or "jpeg"."""
    data: str
    """The picture in base64."""
    width: int
    height: int
    text: str
    """The page's text as the file has it now, one character for each of the library's."""
    boxes: tuple[tuple[Box, ...], ...]
    """For each span that was asked for, a box a line."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page to draw, and the spans of its text to find on it."""

    path: str
    page: int
    """Counted from 1."""
    spans: tuple[tuple[int, int], ...] = ()


def one_a_line(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Return boxes that follow one another, those of one line as one.

    Two are on one line where they share more than half of the lower one's height; those of lines
    that run from top to bottom stay apart.

    >>> one_a_line([Box(10, 10, 20, 8), Box(31, 11, 9, 6), Box(10, 30, 5, 8)])
    (Box(left=10, top=10, width=30, height=8), Box(left=10, top=30, width=5, height=8))
    """
    lines: list[Box] = []
    for box in boxes:
        if lines and _same_line(lines[-1], box):
            lines[-1] = _around(lines[-1], box)
        else:
            lines.append(box)
    return tuple(lines)


def _same_line(one: Box, other: Box) -> bool:
    shared = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    upright = one.width + other.width > max(one.height, other.height)
    return upright and shared > min(one.height, other.height) / 2


def _around(one: Box, other: Box) -> Box:
    left, top = min(one.left, other.left), min(one.top, other.top)
    right = max(one.left + one.width, other.left + other.width)
    bottom = max(one.top + one.height, other.top + other.height)
    return Box(left, top, right - left, bottom - top)
