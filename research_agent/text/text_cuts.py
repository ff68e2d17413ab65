"""Long texts into shorter ones, at spaces and line ends."""

from collections.abc import Iterator


def cuts(text: str, start: int, end: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield parts of at most `length` characters, cut at a space where there is one.

    >>> list(cuts("one two three", 0, 13, 8))
    [(0, 7), (8, 13)]
    """
    while end - start > length:
        space = max(text.rfind(" ", start, start + length), text.rfind("\n", start, start + length))
        cut = space if space > start + length // 2 else start + length
        yield start, cut
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def line_groups(text: str, length: int) -> Iterator[str]:
    r"""Yield runs of whole lines of about `length` characters; a longer line is cut.

    >>> list(line_groups("one\ntwo\nthree", 8))
    ['one\ntwo', 'three']
    """
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        for low, high in cuts(line, 0, len(line), length) if len(line) > length else [(0, 1 << 60)]:
            part = line[low:high]
            if lines and size + len(part) + 1 > length:
                yield "\n".join(lines)
                lines, size = [], 0
            lines.append(part)
            size += len(part) + 1
    if any(line.strip() for line in lines):
        yield "\n".join(lines)
