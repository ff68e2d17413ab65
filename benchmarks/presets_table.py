"""What presets and rounds came to, as tables: counts with Wilson intervals, and paired counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, median
from typing import Literal

from benchmarks.common import table_of
from benchmarks.figures import sign_test, told_share

Outcome = Literal["right", "wrong", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, asked with a preset and so many rounds at most."""

    weights: str
    preset: str
    source: str
    qid: str
    answerable: bool
    most: int
    rounds: int
    """Those that the answer took."""
    status: str
    outcome: Outcome
    supported: bool
    answer: str
    stop_reason: str
    calls: int
    failed: int
    """Calls without a reply."""
    read: int
    """Tokens, as `written`."""
    written: int
    seconds: float
    """Of the calls, when they were recorded."""
    stages: Mapping[str, int] = field(default_factory=dict)
    """How often each stage acted."""
    warnings: Sequence[str] = ()

    @property
    def is_right(self) -> bool:
        """Whether it is what it should be: of a near miss, a refusal."""
        return self.outcome == ("right" if self.answerable else "refused")

    @property
    def is_shown(self) -> bool:
        """Whether it is right and cites what supports it."""
        return self.is_right and self.supported


Group = tuple[str, str]
"""Weights and preset."""
Cells = dict[str, str]
ALL = "all"
ABOUT_RESULTS = (
    "Shares have Wilson's 95 % intervals; calls, tokens and seconds are medians a question; a "
    "near miss is right where it is refused."
)
ABOUT_ROUNDS = (
    "The same questions with fewer rounds (before) and with more (after). Sign tests are exact "
    "and two-sided; costs are means over the questions that took more rounds."
)
ABOUT_PRESETS = "The same questions with two presets, each with its own rounds."
CLOSED = ("refused", "unconfirmed")


def report(rows: Sequence[Asked], sizes: Mapping[str, int]) -> str:
    """Return all tables of the rows; samples have so many questions by their `sizes`."""
    groups = grouped(rows)
    results = [
        {"weights": group[0], "preset": group[1], "rounds": str(most)} | cells
        for group, by_most in groups.items()
        for most, of in by_most.items()
        for cells in _results(of, sizes)
    ]
    rounds = [
        {"weights": group[0], "preset": group[1], "rounds": f"{fewer}, {more}"} | cells
        for group, by_most in groups.items()
        for fewer, more in combinations(by_most, 2)
        for cells in paired(by_most[fewer], by_most[more])
    ]
    presets = [
        {"weights": one[0], "presets": f"{one[1]}, {other[1]}"} | cells
        for one, other in combinations(groups, 2)
        if one[0] == other[0]
        for cells in paired(_whole(groups[one]), _whole(groups[other]))
    ]
    stages = [
        {"weights": group[0], "preset": group[1]} | cells
        for group, of in groups.items()
        for cells in _stages(_whole(of))
    ]
    tables = (
        (ABOUT_RESULTS, results),
        (ABOUT_ROUNDS, rounds),
        (ABOUT_PRESETS, presets),
        ("How often stages acted.", stages),
    )
    return "\n\n".join(f"{about}\n\n{table_of(of)}" for about, of in tables if of)


def grouped(rows: Iterable[Asked]) -> Mapping[Group, Mapping[int, Sequence[Asked]]]:
    """Return the rows by weights and preset, then by rounds at most."""
    found: dict[Group, dict[int, list[Asked]]] = {}
    order = {"local": 0, "full": 1, "seed": 2}
    for row in sorted(rows, key=lambda r: (r.weights, order[r.preset], r.most)):
        group = found.setdefault((row.weights, row.preset), {})
        group.setdefault(row.most, []).append(row)
    return found


def _whole(by_most: Mapping[int, Sequence[Asked]]) -> Sequence[Asked]:
    return by_most[max(by_most)]


def paired(before: Sequence[Asked], after: Sequence[Asked]) -> Iterator[Cells]:
    """Yield a line a source, and one of all, over the questions that both have."""
    known = {(row.source, row.qid): row for row in before}
    pairs = [(known[name], row) for row in after if (name := (row.source, row.qid)) in known]
    sources = list(dict.fromkeys(row.source for _, row in pairs))
    for source in [*sources, *([ALL] if len(sources) > 1 else [])]:
        yield {"questions of": source} | _pair([p for p in pairs if source in (ALL, p[1].source)])


def _pair(pairs: Sequence[tuple[Asked, Asked]]) -> Cells:
    fixed = sum(b.is_right and not a.is_right for a, b in pairs)
    broken = sum(a.is_right and not b.is_right for a, b in pairs)
    refused = [(a, b) for a, b in pairs if a.answerable and a.outcome == "refused"]
    longer = [(a, b) for a, b in pairs if b.rounds > a.rounds]
    return {
        "questions": str(len(pairs)),
        "right before": str(sum(a.is_right for a, _ in pairs)),
        "after": str(sum(b.is_right for _, b in pairs)),
        "fixed": str(fixed),
        "broken": str(broken),
        "sign test": f"{sign_test(fixed, broken):.2f}",
        "refused before": str(len(refused)),
        "… of these right after": told_share(sum(b.is_right for _, b in refused), len(refused)),
        "right and supported after alone": str(sum(b.is_shown > a.is_shown for a, b in pairs)),
        "before alone": str(sum(a.is_shown > b.is_shown for a, b in pairs)),
        "took more rounds": str(len(longer)),
        "calls more": _mean([b.calls - a.calls for a, b in longer], 1),
        "tokens more": _mean([b.read + b.written - a.read - a.written for a, b in longer]),
        "seconds more": _mean([b.seconds - a.seconds for a, b in longer]),
    }


def _results(rows: Sequence[Asked], sizes: Mapping[str, int]) -> Iterator[Cells]:
    """Yield a line a source, and one of all."""
    sources = list(dict.fromkeys(row.source for row in rows))
    for source in [*sources, *([ALL] if len(sources) > 1 else [])]:
        of = [row for row in rows if source in (ALL, row.source)]
        size = sum(sizes[one] for one in sources if source in (ALL, one))
        yield {"questions of": source, "not recorded": str(size - len(of))} | _result(of)


def _result(rows: Sequence[Asked]) -> Cells:
    can = [row for row in rows if row.answerable]
    cannot = [row for row in rows if not row.answerable]
    closed = sum(row.is_right or row.status in CLOSED for row in cannot)
    return {
        "right": told_share(sum(row.is_right for row in can), len(can)),
        "… and supported": told_share(sum(row.is_shown for row in can), len(can)),
        "refused": told_share(sum(row.outcome == "refused" for row in can), len(can)),
        "wrong": told_share(sum(row.outcome == "wrong" for row in can), len(can)),
        "near misses refused": told_share(sum(row.is_right for row in cannot), len(cannot)),
        "… or unconfirmed": told_share(closed, len(cannot)),
        "second round": str(sum(row.rounds >= 2 for row in rows)),  # noqa: PLR2004 (a round)
        "third": str(sum(row.rounds >= 3 for row in rows)),  # noqa: PLR2004 (a round)
        "calls, median": f"{median(row.calls for row in rows):g}",
        "tokens read": f"{median(row.read for row in rows):,.0f}",
        "written": f"{median(row.written for row in rows):,.0f}",
        "seconds": f"{median(row.seconds for row in rows):.0f}",
    }


def _stages(rows: Sequence[Asked]) -> Iterator[Cells]:
    """Yield how often each stage acted, and in how many questions; fallbacks among them."""
    times: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    for row in rows:
        acted = Counter(row.stages) + Counter(
            {"calls failed": row.failed, "warnings": len(row.warnings)}
        )
        times.update(acted)
        questions.update(acted.keys())
    for stage in sorted(times):
        of = f"{questions[stage]} of {len(rows)}"
        yield {"stage": stage, "times": str(times[stage]), "in questions": of}


def _mean(values: Sequence[float], digits: int = 0) -> str:
    return f"{fmean(values):,.{digits}f}" if values else "-"
