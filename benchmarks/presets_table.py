"""What presets and rounds came to, as tables: counts with Wilson intervals, and paired counts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median

from benchmarks.common import Row, table_of, told_share
from research_agent.evaluation.intervals import sign_test

Group = tuple[str, str]
"""Weights and preset."""
Cells = dict[str, str]
Pairs = Sequence[tuple[Row, Row]]
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


def is_right(row: Row) -> bool:
    """Return whether an answer is what it should be: of a near miss, a refusal."""
    return bool(row["outcome"] == ("right" if row["answerable"] else "refused"))


def is_shown(row: Row) -> bool:
    """Return whether an answer is right and cites what supports it."""
    return is_right(row) and bool(row["supported"])


def report(rows: Sequence[Row], sizes: Mapping[str, int]) -> str:
    """Return all tables of the rows; samples have so many questions by their `sizes`."""
    groups = grouped(rows)
    results: list[Cells] = []
    rounds: list[Cells] = []
    for (weights, preset), by_most in groups.items():
        way = {"weights": weights, "preset": preset}
        for most, of in by_most.items():
            results += [way | {"rounds": str(most)} | cells for cells in _results(of, sizes)]
        for few, more in combinations(by_most, 2):
            both = paired(by_most[few], by_most[more])
            rounds += [way | {"rounds": f"{few}, {more}"} | cells for cells in both]
    presets = [
        {"weights": one[0], "presets": f"{one[1]}, {other[1]}"} | cells
        for one, other in combinations(groups, 2)
        if one[0] == other[0]
        for cells in paired(*(groups[group][max(groups[group])] for group in (one, other)))
    ]
    tables = ((ABOUT_RESULTS, results), (ABOUT_ROUNDS, rounds), (ABOUT_PRESETS, presets))
    return "\n\n".join(f"{about}\n\n{table_of(of)}" for about, of in tables if of)


def grouped(rows: Iterable[Row]) -> Mapping[Group, Mapping[int, Sequence[Row]]]:
    """Return the rows by weights and preset, then by rounds at most."""
    found: dict[Group, dict[int, list[Row]]] = {}
    order = ("local", "full", "seed")
    for row in sorted(rows, key=lambda r: (r["weights"], order.index(r["preset"]), r["most"])):
        group = found.setdefault((row["weights"], row["preset"]), {})
        group.setdefault(row["most"], []).append(row)
    return found


def paired(before: Sequence[Row], after: Sequence[Row]) -> Iterator[Cells]:
    """Yield a line a source, and one of all, over the questions that both have."""
    known = {(row["source"], row["qid"]): row for row in before}
    pairs = [(known[n], row) for row in after if (n := (row["source"], row["qid"])) in known]
    for source in _sources(row for _, row in pairs):
        yield {"questions of": source} | _pair(
            [p for p in pairs if source in (ALL, p[1]["source"])]
        )


def _sources(rows: Iterable[Row]) -> list[str]:
    """Return the sources, and that for all of them where there are several."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    return [*sources, *([ALL] if len(sources) > 1 else [])]


def _pair(pairs: Pairs) -> Cells:
    fixed = sum(is_right(b) and not is_right(a) for a, b in pairs)
    broken = sum(is_right(a) and not is_right(b) for a, b in pairs)
    refused = [(a, b) for a, b in pairs if a["answerable"] and a["outcome"] == "refused"]
    longer = [(a, b) for a, b in pairs if b["rounds"] > a["rounds"]]

    def more(digits: int, *names: str) -> str:
        spent = [sum(b[name] - a[name] for name in names) for a, b in longer]
        return f"{fmean(spent):,.{digits}f}" if spent else "-"

    return {
        "questions": str(len(pairs)),
        "right before": str(sum(is_right(a) for a, _ in pairs)),
        "after": str(sum(is_right(b) for _, b in pairs)),
        "fixed": str(fixed),
        "broken": str(broken),
        "sign test": f"{sign_test(fixed, broken):.2f}",
        "refused before": str(len(refused)),
        "… of these right after": told_share(sum(is_right(b) for _, b in refused), len(refused)),
        "right and supported after alone": str(sum(is_shown(b) > is_shown(a) for a, b in pairs)),
        "before alone": str(sum(is_shown(a) > is_shown(b) for a, b in pairs)),
        "took more rounds": str(len(longer)),
        "calls more": more(1, "calls"),
        "tokens more": more(0, "read", "written"),
        "seconds more": more(0, "seconds"),
    }


def _results(rows: Sequence[Row], sizes: Mapping[str, int]) -> Iterator[Cells]:
    """Yield a line a source, and one of all."""
    sources = _sources(rows)
    for source in sources:
        of = [row for row in rows if source in (ALL, row["source"])]
        size = sum(sizes[one] for one in sources if one != ALL and source in (ALL, one))
        yield {"questions of": source, "not recorded": str(size - len(of))} | _result(of)


def _result(rows: Sequence[Row]) -> Cells:
    can = [row for row in rows if row["answerable"]]
    cannot = [row for row in rows if not row["answerable"]]

    def share(of: Sequence[Row], test: Callable[[Row], bool]) -> str:
        return told_share(sum(map(test, of)), len(of))

    return {
        "right": share(can, is_right),
        "… and supported": share(can, is_shown),
        "refused": share(can, lambda row: row["outcome"] == "refused"),
        "wrong": share(can, lambda row: row["outcome"] == "wrong"),
        "near misses refused": share(cannot, is_right),
        "… or unconfirmed": share(
            cannot, lambda row: is_right(row) or row["status"] == "unconfirmed"
        ),
        "second round": str(sum(row["rounds"] > 1 for row in rows)),
        "calls, median": f"{median(row['calls'] for row in rows):g}",
        "tokens read": f"{median(row['read'] for row in rows):,.0f}",
        "written": f"{median(row['written'] for row in rows):,.0f}",
        "seconds": f"{median(row['seconds'] for row in rows):.0f}",
    }
