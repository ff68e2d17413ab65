"""Algorithms in documents: their numbered steps, however a parser has run the lines together."""

import re

MOST_STEPS = 60
LEAST_STEPS = 2
"""One number with a colon is no algorithm."""

_STEP = re.compile(r"(?:(?<=\n)|(?<=^)|(?<=\s))(\d{1,2}):\s+(?=\S)")
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=\d{1,2}:\s+\S)|(?<=[;:{}])[ \t]+(?=for\s*\()")


def steps(text: str) -> tuple[int, ...]:
    """Return the numbers of the longest run of steps that count up by one."""
    best: tuple[int, ...] = ()
    run: tuple[int, ...] = ()
    for number in map(int, _STEP.findall(text)):
        run = (*run, number) if run and number == run[-1] + 1 else (number,)
        best = max(best, run, key=len)
    return best[:MOST_STEPS] if len(best) >= LEAST_STEPS else ()


def prettified(text: str) -> str:
    """Return `text` with a line for each step; only blanks become line ends.

    Numbers that do not count up are left alone: a time such as 12:30, or a ratio, is no step.
    """
    return _INLINE.sub("\n", text) if len(steps(text)) > LEAST_STEPS else text


def has_algorithm(text: str, number: str, *, word: str = "algorithm") -> bool:
    """Return whether the steps of "Algorithm `number`", such as A.2, are in a text."""
    called = rf"(?im)^\W*{re.escape(word)}\s+((?:[A-Z]\.?)?\d+(?:\.\d+)*)(?!\w)"
    heads = list(re.finditer(called, text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    same = (n for n, head in enumerate(heads) if head[1].casefold() == number.casefold())
    first = next(same, None)
    return first is not None and bool(steps(text[heads[first].end() : ends[first]]))


def goes_on(before: str, after: str) -> bool:
    """Return whether `after` goes on with the steps that `before` ends with."""
    first, second = steps(before), steps(after)
    return bool(first and second) and second[0] == first[-1] + 1
