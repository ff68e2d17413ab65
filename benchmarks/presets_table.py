"""What presets and rounds came to, as tables: counts with Wilson intervals, and paired counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, median

from benchmarks.answers_table import NONE, share
from benchmarks.intervals import sign_test
from benchmarks.samples import Outcome
from benchmarks.tables import markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, asked with a preset and so many rounds at most."""

    weights: str
    preset: str
    first_tokens: int
    """Tokens of evidence in the first round; 0: as the preset says."""
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


Group = tuple[str, str, int]
"""Weights, preset, and tokens of the first round."""
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
RESULTS = (
    "questions of",
    "not recorded",
    "right",
    "… and supported",
    "refused",
    "wrong",
    "near misses refused",
    "… or unconfirmed",
    "second round",
    "third",
    "calls, median",
    "tokens read",
    "written",
    "seconds",
)
PAIRED = (
    "questions of",
    "questions",
    "right before",
    "after",
    "fixed",
    "broken",
    "sign test",
    "refused before",
    "… of these right after",
    "right and supported after alone",
    "before alone",
)
MORE = ("took more rounds", "calls more", "tokens more", "seconds more")


def report(rows: Sequence[Asked], sizes: Mapping[str, int]) -> str:
    """Return all tables of the rows; samples have so many questions by their `sizes`."""
    groups = grouped(rows)
    results = [
        [*_named(group), str(most), *line]
        for group, by_most in groups.items()
        for most, of in by_most.items()
        for line in _results(of, sizes)
    ]
    rounds = [
        [*_named(group), f"{fewer}, {more}", *line]
        for group, by_most in groups.items()
        for fewer, more in combinations(by_most, 2)
        for line in paired(by_most[fewer], by_most[more])
    ]
    presets = [
        [one[0], f"{one[1]}, {other[1]}", *line]
        for one, other in combinations(groups, 2)
        if (one[0], one[2], other[2]) == (other[0], 0, 0)
        for line in paired(_whole(groups[one]), _whole(groups[other]))
    ]
    stages = [
        [*_named(group), *line] for group, of in groups.items() for line in _stages(_whole(of))
    ]
    way = ("weights", "preset", "first round")
    paired_presets = [line[: 2 + len(PAIRED)] for line in presets]
    tables = (
        (ABOUT_RESULTS, (*way, "rounds", *RESULTS), results),
        (ABOUT_ROUNDS, (*way, "rounds", *PAIRED, *MORE), rounds),
        (ABOUT_PRESETS, ("weights", "presets", *PAIRED), paired_presets),
        ("How often stages acted.", (*way, "stage", "times", "in questions"), stages),
    )
    return "\n\n".join(f"{about}\n\n{markdown(heads, of)}" for about, heads, of in tables if of)


def grouped(rows: Iterable[Asked]) -> Mapping[Group, Mapping[int, Sequence[Asked]]]:
    """Return the rows by weights, preset and first round, then by rounds at most."""
    found: dict[Group, dict[int, list[Asked]]] = {}
    order = {"local": 0, "full": 1, "seed": 2}
    for row in sorted(rows, key=lambda r: (r.weights, r.first_tokens, order[r.preset], r.most)):
        group = found.setdefault((row.weights, row.preset, row.first_tokens), {})
        group.setdefault(row.most, []).append(row)
    return found


def paired(before: Sequence[Asked], after: Sequence[Asked]) -> Iterator[list[str]]:
    """Yield a line a source, and one of all, over the questions that both have."""
    known = {(row.source, row.qid): row for row in before}
    pairs = [(known[name], row) for row in after if (name := (row.source, row.qid)) in known]
    sources = list(dict.fromkeys(row.source for _, row in pairs))
    for source in [*sources, *([ALL] if len(sources) > 1 else [])]:
        yield [source, *_pair([p for p in pairs if source in (ALL, p[1].source)])]


def _pair(pairs: Sequence[tuple[Asked, Asked]]) -> list[str]:
    fixed = sum(b.is_right and not a.is_right for a, b in pairs)
    broken = sum(a.is_right and not b.is_right for a, b in pairs)
    refused = [(a, b) for a, b in pairs if a.answerable and a.outcome == "refused"]
    longer = [(a, b) for a, b in pairs if b.rounds > a.rounds]
    return [
        str(len(pairs)),
        str(sum(a.is_right for a, _ in pairs)),
        str(sum(b.is_right for _, b in pairs)),
        str(fixed),
        str(broken),
        f"{sign_test(fixed, broken):.2f}",
        str(len(refused)),
        share(sum(b.is_right for _, b in refused), len(refused)),
        str(sum(b.is_shown and not a.is_shown for a, b in pairs)),
        str(sum(a.is_shown and not b.is_shown for a, b in pairs)),
        str(len(longer)),
        _mean([b.calls - a.calls for a, b in longer], 1),
        _mean([b.read + b.written - a.read - a.written for a, b in longer]),
        _mean([b.seconds - a.seconds for a, b in longer]),
    ]


def _named(group: Group) -> list[str]:
    weights, preset, tokens = group
    return [weights, preset, f"{tokens:,} tokens" if tokens else "whole"]


def _whole(by_most: Mapping[int, Sequence[Asked]]) -> Sequence[Asked]:
    """Return the rows with the most rounds."""
    return by_most[max(by_most)]


def _results(rows: Sequence[Asked], sizes: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield a line a source, and one of all."""
    sources = list(dict.fromkeys(row.source for row in rows))
    for source in [*sources, *([ALL] if len(sources) > 1 else [])]:
        of = [row for row in rows if source in (ALL, row.source)]
        size = sum(sizes[one] for one in sources if source in (ALL, one))
        yield [source, str(size - len(of)), *_result(of)]


def _result(rows: Sequence[Asked]) -> list[str]:
    can = [row for row in rows if row.answerable]
    cannot = [row for row in rows if not row.answerable]
    closed = ("refused", "unconfirmed")
    return [
        share(sum(row.is_right for row in can), len(can)),
        share(sum(row.is_shown for row in can), len(can)),
        share(sum(row.outcome == "refused" for row in can), len(can)),
        share(sum(row.outcome == "wrong" for row in can), len(can)),
        share(sum(row.is_right for row in cannot), len(cannot)),
        share(sum(row.is_right or row.status in closed for row in cannot), len(cannot)),
        str(sum(row.rounds > 1 for row in rows)),
        str(sum(row.rounds > 2 for row in rows)),  # noqa: PLR2004 (the third round)
        f"{median(row.calls for row in rows):g}",
        f"{median(row.read for row in rows):,.0f}",
        f"{median(row.written for row in rows):,.0f}",
        f"{median(row.seconds for row in rows):.0f}",
    ]


def _stages(rows: Sequence[Asked]) -> Iterator[list[str]]:
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
        yield [stage, str(times[stage]), f"{questions[stage]} of {len(rows)}"]


def _mean(values: Sequence[float], digits: int = 0) -> str:
    return f"{fmean(values):,.{digits}f}" if values else NONE
