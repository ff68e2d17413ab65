"""Algorithms in documents: their steps, however a parser has run the lines together."""

import re
from dataclasses import dataclass

MOST_STEPS = 60
"""Steps that are read of one algorithm."""
LEAST_STEPS = 2
"""One number with a colon is no algorithm."""

_STEP = re.compile(r"(?:(?<=\n)|(?<=^)|(?<=\s))(\d{1,2}):\s+(?=\S)")
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=\d{1,2}:\s+\S)|(?<=[;:{}])[ \t]+(?=for\s*\()")


@dataclass(frozen=True, slots=True)
class Step:
    """One numbered line of an algorithm."""

    number: int
    text: str


def prettified(text: str) -> str:
    r"""Return `text` with a line for each step, where steps stand in one line.

    Only blanks become line ends, so what is quoted stays the same but for white space. Numbers
    that do not count up are left alone: a time such as 12:30, or a ratio, is no step.

    >>> prettified("1: x = 0 2: y = 1 3: return x")
    '1: x = 0\n2: y = 1\n3: return x'
    >>> prettified("It starts at 9: at the gate.")
    'It starts at 9: at the gate.'
    """
    return _INLINE.sub("\n", text) if len(steps(text)) > LEAST_STEPS else text


def steps(text: str) -> tuple[Step, ...]:
    r"""Return the longest run of steps that count up by one, in the order of the text.

    >>> [step.text for step in steps("Input: a seed\n1: b = a\n2: return b")]
    ['b = a', 'return b']
    """
    marks = list(_STEP.finditer(text))
    best: list[int] = []
    run: list[int] = []
    for i, mark in enumerate(marks):
        follows = run and int(mark[1]) == int(marks[run[-1]][1]) + 1
        run = [*run, i] if follows else [i]
        best = max(best, run, key=len)
    if len(best) < LEAST_STEPS:
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return tuple(
        Step(int(marks[i][1]), " ".join(text[marks[i].end() : ends[i]].split()))
        for i in best[:MOST_STEPS]
    )


def algorithm(text: str, number: str, *, word: str = "algorithm") -> tuple[Step, ...]:
    r"""Return the steps of "Algorithm `number`" in a text, none where it does not stand there.

    `number` may have parts and a letter before it, as "A.2"; `word` is what algorithms are called
    in the text's language. The algorithm ends where the next one begins.

    >>> len(algorithm("Algorithm 1 A\n1: a\n2: b\nAlgorithm 2 B\n1: c\n2: d\n3: e", "2"))
    3
    """
    called = rf"(?im)^\W*{re.escape(word)}\s+((?:[A-Z]\.?)?\d+(?:\.\d+)*)(?!\w)"
    heads = list(re.finditer(called, text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=bool(heads)):
        if head[1].casefold() == number.casefold():
            return steps(text[head.end() : end])
    return ()


def goes_on(before: str, after: str) -> bool:
    r"""Return whether `after` goes on with the steps that `before` ends with.

    >>> goes_on("1: a\n2: b", "3: c\n4: d"), goes_on("1: a\n2: b", "1: c\n2: d")
    (True, False)
    """
    first, second = steps(before), steps(after)
    return bool(first and second) and second[0].number == first[-1].number + 1
