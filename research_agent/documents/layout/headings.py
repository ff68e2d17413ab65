"""Headings that the text shows and the outline does not name, recognised by type and numbers.

A line, or the beginning of one, in bold or large type; numbers that count up from 1 or go on from
the section around them; "Appendix A".
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from research_agent.documents.layout.rows import Row

Place = tuple[int, int]  # page and row, both from 0

LARGE = 1.12  # factor by which type is larger than that of what it heads
HEADING_CHARS = 120  # a longer line is no heading
TEXT_CHARS = 40  # characters of the line of text below a heading without number at least
LETTERS = 3  # letters of a heading at least
WORDS = 0.8  # share of letters and spaces in a heading at least
PAIR = 2  # pieces of a line that has its number apart
LINES = 3  # lines of a heading at most
CHAIN = {False: 2, True: 3}
"""Numbers that count up, from which they are headings; True: at the beginning of a paragraph."""
OFTEN = 0.25  # share of the lines in bold or large type from which such type tells nothing

_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+(?=[^\W\d_a-z]\w)")
_ALONE = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,4}[.)]?")
_RUN_IN = re.compile(r"\d{1,2}[.)]\s+[^\W\d_a-z][^.:]{1,80}(?=[.:]\s*$)")
_APPENDIX = re.compile(r"(?:appendix|annex|annexe|anhang)\s+(?:[A-Z]|\d{1,2})(?!\w)", re.IGNORECASE)
_NO_HEADING = re.compile(
    r"(?:Table|Figure|Fig\.|Algorithm|Listing|Tab\.)\s*\d|.*[.,;]$|.*\.\s?\.\s?\.|.*\u2026|"
    r".*\s\d{1,4}$"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A line that is, or begins with, a heading."""

    text: str
    size: float  # of its type, in points
    number: tuple[int, ...] = ()
    run_in: bool = False  # the paragraph goes on in the same line
    top: bool = False  # it is above all others, as an appendix is
    strong: bool = True  # its type tells that it is a heading, and not its number alone
    lines: int = 1


def number_of(heading: str) -> tuple[int, ...]:
    """Return a heading's number; empty where it has none."""
    match = _NUMBER.match(heading)
    return tuple(map(int, match[1].split("."))) if match else ()


def text_headings(
    pages: Sequence[Sequence[Row]], named: Collection[Place], *, outlined: bool, title: str = ""
) -> dict[Place, Found]:
    """Return the lines that look like headings, by their place.

    `named` are the places where headings of the outline begin. In a document that has an outline
    only numbered headings and appendices count, otherwise also lines in bold or large type. A
    number with several parts counts only below its section, which the caller has to look after.
    """
    body = _body_size(pages)
    candidates: dict[Place, Found] = {}
    for page, rows in enumerate(pages):
        after = 0
        for number in range(len(rows)):
            if number < after or (page, number) in named:
                continue
            if found := _found(rows, number, body):
                candidates[page, number] = found
                after = number + found.lines
    strong = sum(found.strong for found in candidates.values())
    free = not outlined and strong <= OFTEN * sum(map(len, pages))  # (slides are large everywhere)
    counted = _counted(candidates, named)
    chosen: dict[Place, Found] = {}
    for place, found in candidates.items():
        if len(found.number) == 1 and place not in counted:
            continue
        if found.number or found.top or (free and _is_above_text(place, candidates, pages, title)):
            chosen[place] = found
    return chosen


def is_larger(size: float, other: float) -> bool:
    """Say whether type is clearly larger than other type."""
    return size > LARGE * other


def _body_size(pages: Sequence[Sequence[Row]]) -> float:
    sizes: Counter[float] = Counter()
    for rows in pages:
        for row in rows:
            sizes[round(row.size, 1)] += len(row.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _found(rows: Sequence[Row], number: int, body: float) -> Found | None:
    row = rows[number]
    strong = _is_bold(row) or is_larger(row.size, body)
    if not strong and row.bold:  # a paragraph may begin with a bold and numbered heading
        run_in = _RUN_IN.match(row.text[: row.bold].strip())
        return Found(run_in[0], row.size, number_of(run_in[0]), run_in=True) if run_in else None
    one = len(row.spans) == 1 or (len(row.spans) == PAIR and _is_numbered(row))
    if not one or not (strong or number_of(row.text)):
        return None
    if not _is_heading(row.text) or _is_beside(rows, row):
        return None
    parts = [row.text]
    for below in rows[number + 1 : number + LINES] if strong else ():
        if not _goes_on(rows[number + len(parts) - 1], below):
            break
        parts.append(below.text)
    text = " ".join(parts)
    if not _is_heading(text):
        return None
    top = _APPENDIX.match(text) is not None
    return Found(text, row.size, number_of(text), top=top, strong=strong, lines=len(parts))


def _is_numbered(row: Row) -> bool:
    return _ALONE.fullmatch(row.spans[0].text) is not None


def _is_bold(row: Row) -> bool:
    words = row.spans[1:] if _is_numbered(row) else row.spans
    return bool(words) and all(span.bold >= len(span.text) for span in words)


def _is_heading(text: str) -> bool:
    title = _NUMBER.sub("", text)
    words = sum(char.isalpha() or char in " -/&'()" for char in title)
    first = next((char for char in text if char.isalpha()), "a")
    return (
        len(text) <= HEADING_CHARS
        and sum(map(str.isalpha, title)) >= LETTERS
        and words >= WORDS * len(title)
        and not first.islower()
        and not _NO_HEADING.match(text)
    )


def _is_beside(rows: Sequence[Row], row: Row) -> bool:
    return any(
        other.bottom < row.baseline < other.top
        and -row.size < max(other.left - row.right, row.left - other.right) < row.size
        for other in rows
        if other is not row
    )


def _goes_on(row: Row, below: Row) -> bool:
    alike = abs(row.size - below.size) < 0.03 * row.size and len(below.spans) == 1
    near = 0 < row.baseline - below.baseline < 1.6 * row.size
    new = number_of(below.text) or _APPENDIX.match(below.text)
    return alike and near and _is_bold(row) == _is_bold(below) and not new


def _is_above_text(
    place: Place, candidates: dict[Place, Found], pages: Sequence[Sequence[Row]], title: str
) -> bool:
    page, number = place
    found = candidates[place]
    if _plain(found.text) in _plain(title):
        return False
    after = number + found.lines
    overleaf = pages[page + 1][:1] if page + 1 < len(pages) else ()
    following = next(iter([*pages[page][after:], *overleaf]), None)
    below = candidates.get((page, after))
    long = following is not None and len(following.text) >= TEXT_CHARS
    return long or bool(below and below.number)


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _counted(candidates: dict[Place, Found], named: Collection[Place]) -> set[Place]:
    """Return the places of headings of one type whose numbers count up from 1."""
    chains: dict[tuple[bool, int], _Chain] = {}
    breaks = sorted(named)
    before: Place = (0, 0)
    for place, found in candidates.items():
        if any(before < at <= place for at in breaks):
            for (run_in, _), chain in chains.items():
                if run_in:
                    chain.close()
        before = place
        if len(found.number) == 1:
            key = (found.run_in, round(found.size))
            chain = chains.setdefault(key, _Chain(CHAIN[found.run_in]))
            chain.add(place, found.number[0], strong=found.strong)
    return {place for chain in chains.values() for place in chain.close()}


class _Chain:
    """Numbers that count up from 1 among others; counts that are long and strong are kept."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._kept: list[Place] = []
        self._open: list[tuple[Place, int, bool]] = []

    def add(self, place: Place, number: int, *, strong: bool) -> None:
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

    def close(self) -> list[Place]:
        """End the count that is open, and return the places of all that are kept."""
        strong = sum(item[2] for item in self._open)
        if len(self._open) >= self._least and 2 * strong >= len(self._open):
            self._kept.extend(place for place, _, _ in self._open)
        self._open = []
        return self._kept
