"""What arms found for questions, as one table a data set."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.common import Row, table_of
from research_agent.evaluation.intervals import paired_difference

FIRST = 5
"""As many hits as a round's evidence has."""
KS = (FIRST, 10)


def found(row: Row, k: int) -> int:
    """Return how many golds are among the first `k`.

    >>> found({"ranks": (1, None, 7, 9)}, 8)
    2
    """
    return sum(rank is not None and rank <= k for rank in row["ranks"])


def table(
    name: str, rows: Mapping[str, Sequence[Row]], against: Mapping[str, str], questions: int
) -> str:
    """Return figures and costs of every arm as Markdown.

    Behind a figure is the 95 % interval of its difference to the arm that `against` names, over
    the questions that both have.
    """
    lines = []
    for arm, of in rows.items():
        base = {row["qid"]: row for row in rows.get(against.get(arm, ""), ())}
        pairs = [(row, base[row["qid"]]) for row in of if row["qid"] in base]
        lines += [{"arm": arm} | _cells(of, pairs)] if of else []
    shown = table_of(lines) if lines else ""
    return f"## {name}: {questions} questions\n\n{shown}"


def _cells(rows: Sequence[Row], pairs: Sequence[tuple[Row, Row]]) -> dict[str, str]:
    gains = [found(one, FIRST) - found(base, FIRST) for one, base in pairs]
    figures = {}
    for k in KS:
        whole = [found(row, k) == len(row["ranks"]) for row in rows]
        both = [[found(r, k) == len(r["ranks"]) for r in side] for side in zip(*pairs, strict=True)]
        figures[f"all @{k}"] = figure(whole, *both)
    for k in KS:
        parts = [found(row, k) / len(row["ranks"]) for row in rows]
        figures[f"recall @{k}"] = f"{100 * fmean(parts):.1f}"
    return {
        "questions": str(len(rows)),
        **figures,
        "changed": str(sum(row["kind"] != "keep" for row in rows)),
        "helped": str(sum(gain > 0 for gain in gains)) if pairs else "",
        "hurt": str(sum(gain < 0 for gain in gains)) if pairs else "",
        "blocked": str(sum(len(row["blocked"]) for row in rows)),
        "calls": f"{fmean(row['calls'] for row in rows):.1f}",
        "tokens": f"{fmean(row['tokens'] for row in rows):.0f}",
        "model s": f"{fmean(row['model_seconds'] for row in rows):.1f}",
    }


def figure(values: Sequence[float], *pairs: Sequence[float]) -> str:
    """Return a mean in percent, with the interval of a paired difference where there are pairs.

    >>> figure([1.0, 0.5], [1.0, 0.5], [0.5, 0.0])
    '75.0 (+50.0 to +50.0)'
    """
    mean = f"{100 * fmean(values):.1f}"
    if not pairs:
        return mean
    change = paired_difference(*([float(value) for value in side] for side in pairs))
    return f"{mean} ({100 * change.low:+.1f} to {100 * change.high:+.1f})"
