"""What a check of claims said about each case, as one table."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.claims_sets import Case
from benchmarks.intervals import wilson
from benchmarks.tables import markdown

HEADS = ("what", "tuned", "95 %", "aside", "95 %", "all", "95 %", "target")
STANDS = ("supported", "misattributed", "stitched")
"""Verdicts with which a sentence stays in an answer."""
Cell = Callable[["Judged"], bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """One case and the verdict on it."""

    case: Case
    verdict: str
    """Of several claims in one answer the worst; "none" where no claim was read."""
    problem: str = ""

    @property
    def right(self) -> bool:
        """Whether the verdict is the right one.

        An altered sentence is caught by "unsupported" alone: with any other verdict it stays in
        the answer. A true one is a false alarm with any verdict but the right one; where it needs
        two passages, "supported" by both and "stitched" are right.
        """
        if self.case.set in ("originals", "paraphrases"):
            return self.verdict in ("supported", self.case.expected)
        return self.verdict == self.case.expected


def table(judged: Sequence[Judged]) -> str:
    """Return shares with Wilson's intervals as Markdown, the tuned part and the other apart."""
    return markdown(HEADS, _rows(judged))


def misses(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield a line for each wrong verdict of the tuned part; never one that is kept aside."""
    for one in judged:
        if not one.right and not one.case.aside:
            said = f"{one.verdict} ({one.problem})" if one.problem else one.verdict
            yield f"{one.case.id}: {said}, not {one.case.expected}: {one.case.answer}"


def _rows(judged: Sequence[Judged]) -> Iterator[list[str]]:
    altered = [one for one in judged if one.case.set == "altered"]
    for kind in dict.fromkeys(one.case.kind for one in altered):
        of = [one for one in altered if one.case.kind == kind]
        yield _cells(f"altered, {kind}: caught", of, _right)
    for language in dict.fromkeys(one.case.language for one in altered):
        of = [one for one in altered if one.case.language == language]
        yield _cells(f"altered, {language}: caught", of, _right)
    yield _cells("**altered, all: caught**", altered, _right, "≥ 95 %")
    for verdict in STANDS[1:]:
        left = [one for one in altered if one.verdict == verdict]
        yield _cells(f"… left in the answer as {verdict}", altered, left.__contains__)
    for name, target in (("originals", "≤ 5 %"), ("paraphrases", "≤ 10 %")):
        true = [one for one in judged if one.case.set == name]
        for language in dict.fromkeys(one.case.language for one in true):
            of = [one for one in true if one.case.language == language]
            yield _cells(f"{name}, {language}: false alarms", of, _wrong)
        yield _cells(f"**{name}, all: false alarms**", true, _wrong, target)
    labelled = [one for one in judged if one.case.set == "labelled"]
    for label in dict.fromkeys(one.case.expected for one in labelled):
        of = [one for one in labelled if one.case.expected == label]
        yield _cells(f"labelled {label}: right", of, _right)
    yield _cells("**labelled, all: right**", labelled, _right, "≥ 54 of 60")


def _right(one: Judged) -> bool:
    return one.right


def _wrong(one: Judged) -> bool:
    return not one.right


def _cells(what: str, judged: Sequence[Judged], holds: Cell, target: str = "") -> list[str]:
    """Return a row: of how many cases something holds, in both parts and in all."""
    cells = [what]
    for parts in ((False,), (True,), (False, True)):
        held = [holds(one) for one in judged if one.case.aside in parts]
        cells += _share(sum(held), len(held))
    return [*cells, target]


def _share(count: int, of: int) -> tuple[str, str]:
    """Return a count and its interval in percent.

    >>> _share(5, 10), _share(0, 0)
    (('5 of 10', '24 to 76'), ('-', ''))
    """
    if not of:
        return "-", ""
    interval = wilson(count, of)
    return f"{count} of {of}", f"{100 * interval.low:.0f} to {100 * interval.high:.0f}"
