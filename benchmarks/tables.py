"""Summaries of retrieval runs as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Summary = Mapping[str, Any]


def tables(told: Summary, failures: Sequence[str] = ()) -> str:
    """Return the tables about one data set; `failures` says which peers there are not."""
    parts = [
        f"## {told['data_set']}: {told['questions']} questions",
        scores_table(told["scores"]),
        costs_table(told["costs"]),
    ]
    parts += [f"No figures: {failure}" for failure in failures]
    if told["product_minus_best_peer"]:
        parts.append(differences_table(told["product_minus_best_peer"]))
    for level, scores in told.get("levels", {}).items():
        parts += [f"Matching: {level}.", scores_table(scores)]
    if "accepted" in told:
        parts += ["Accepted pages of the revised key.", scores_table(told["accepted"])]
    if "kinds" in told:
        parts += [f"By kind of question, {told['product']}.", kinds_table(told)]
    lost = ", ".join(f"{count} {cause}" for cause, count in sorted(told["golds"].items()))
    parts.append(f"What was to be found, {told['product']}: {lost}.")
    return "\n\n".join(parts)


def scores_table(scores: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return a table of means with their 95 % intervals.

    >>> print(scores_table({"a": {"mrr@8": {"mean": 0.5, "low": 0.25, "high": 0.75}}}))
    | system | mrr@8 |
    |---|---|
    | a | .500 (.25 to .75) |
    """
    metrics = list(next(iter(scores.values())))
    rows = [
        [name, *(_with_interval(of[metric]) for metric in metrics)] for name, of in scores.items()
    ]
    return markdown(["system", *metrics], rows)


def costs_table(costs: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table of times and sizes."""
    heads = {
        "chunks": "chunks",
        "p50_ms": "query p50, ms",
        "p95_ms": "p95, ms",
        "chars": "characters in the hits",
        "longest": "longest hit",
        "over_two_pages": "hits over two pages",
    }
    rows = [[name, *(f"{of[key]:g}" for key in heads)] for name, of in costs.items()]
    return markdown(["system", *heads.values()], rows)


def differences_table(differences: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table of paired differences; an interval that holds 0 shows none."""
    rows = [
        [metric, f"{of['mean']:+.3f} ({of['low']:+.2f} to {of['high']:+.2f})", of["peer"]]
        for metric, of in differences.items()
    ]
    return markdown(["metric", "product - best peer", "best peer"], rows)


def kinds_table(told: Summary) -> str:
    """Return a table of the product's means for each kind of question."""
    kinds = told["kinds"][told["product"]]
    metrics = [name for name in next(iter(kinds.values())) if name != "questions"]
    rows = [
        [f"{kind} ({of['questions']:g})", *(_share(of[metric]) for metric in metrics)]
        for kind, of in kinds.items()
    ]
    return markdown(["kind", *metrics], rows)


def _with_interval(of: Mapping[str, float]) -> str:
    low, high = _share(of["low"], 2), _share(of["high"], 2)
    return f"{_share(of['mean'])} ({low} to {high})"


def _share(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".removeprefix("0") if value < 1 else f"{value:.{digits}f}"


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown.

    >>> print(markdown(["system", "right"], [["a", "3"]]))
    | system | right |
    |---|---|
    | a | 3 |
    """
    head, *body = [f"| {' | '.join(line)} |" for line in (heads, *rows)]
    return "\n".join([head, f"|{'---|' * len(heads)}", *body])
