"""Long texts cut at spaces and line ends, and the part of a text that is nearest to a query."""

from collections.abc import Callable, Iterator, Sequence

from research_agent.text.sentences import sentence_spans
from research_agent.text.words import index_words, query_words

Count = Callable[[str], int]
"""How many tokens a text has."""
LONGEST = 120
"""Tokens up to which a sentence or a row of a table is shown whole."""


def excerpt(text: str, query: str, max_tokens: int, count: Count, *, whole: bool = False) -> str:
    """Return `text`, or the run of its sentences that holds the most words of `query`.

    What is left out is marked by an ellipsis. With `whole` a sentence of more than `LONGEST` tokens
    is taken line by line, and of equal runs the middle one.
    """
    if count(text) <= max_tokens:
        return text
    wanted = frozenset(query_words(query))
    spans = units(text, max(LONGEST, max_tokens - 2), count) if whole else _sentences(text)
    sizes = [count(text[start:end]) for start, end in spans]
    held = [wanted.intersection(index_words(text[start:end])) for start, end in spans]
    runs = _best_runs(sizes, held, max_tokens - 2)
    first, last = runs[len(runs) // 2 if whole else 0]
    inside = text[spans[first][0] : spans[last][1]]
    before, after = "… " if first else "", " …" if last < len(spans) - 1 else ""
    if count(f"{before}{inside}{after}") <= max_tokens:
        return f"{before}{inside}{after}"
    return f"{before}{cut(inside, max_tokens - 2, count)} …"


def cut(text: str, max_tokens: int, count: Count) -> str:
    """Return as many of the first words of `text` as have no more than `max_tokens`."""
    fit = most_that_fit(len(text), lambda length: count(text[:length]) <= max_tokens)
    whole = text[:fit] if fit == len(text) else text[:fit].rpartition(" ")[0] or text[:fit]
    return whole.rstrip()


def most_that_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `limit` that fits, by halving; 0 where none does."""
    least, fails = 0, limit + 1
    while fails - least > 1:
        middle = (least + fails) // 2
        least, fails = (middle, fails) if fits(middle) else (least, middle)
    return least


def units(text: str, max_tokens: int, count: Count) -> Sequence[tuple[int, int]]:
    """Return the spans of the sentences of a text; of one that is too long, those of its lines."""
    found = list[tuple[int, int]]()
    for start, end in _sentences(text):
        if count(text[start:end]) <= max_tokens:
            found.append((start, end))
            continue
        for line in text[start:end].splitlines(keepends=True):
            if line.strip():
                found.append((start, start + len(line.rstrip())))
            start += len(line)  # noqa: PLW2901 (the place in the text)
    return found


def _sentences(text: str) -> Sequence[tuple[int, int]]:
    return sentence_spans(text) or ((0, len(text)),)


def _best_runs(
    sizes: Sequence[int], held: Sequence[frozenset[str]], room: int
) -> Sequence[tuple[int, int]]:
    """Return the first and last of those neighbours that hold the most words within `room`.

    There is a run from each place on; those that hold as many words are all returned.
    """
    best, most = [(0, 0)], -1
    for first in range(len(sizes)):
        last, size, words = first, sizes[first], held[first]
        while last + 1 < len(sizes) and size + sizes[last + 1] <= room:
            last += 1
            size, words = size + sizes[last], words | held[last]
        if len(words) > most:
            best, most = [], len(words)
        if len(words) == most:
            best.append((first, last))
    return best


def cuts(text: str, start: int, end: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield parts of at most `length` characters, cut at a space where there is one."""
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
    """Yield runs of whole lines of about `length` characters; a longer line is cut."""
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
