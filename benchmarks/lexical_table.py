"""The figures of engines for word search as a Markdown table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one engine showed with one number of chunks."""

    engine: str
    chunks: int
    phases: Mapping[str, Mapping[str, float]]
    """Figures of build, search and update; a phase that failed is left out."""
    agreement: float | None = None
    """Share of the exact BM25's first ten that are among the engine's; None: not compared."""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """Whether an engine ranks the same chunks in the same order, whatever came before."""

    engine: str
    ties: str = ""
    """In which order equal scores come."""
    same_after_updates: float | None = None
    """Share of questions with the same first ten after updates and in a new index."""
    problem: str = ""


COLUMNS = {
    "build, s (CPU)": ("build", "seconds", "cpu_seconds"),
    "build, MB": ("build", "peak_mb"),
    "on disk, MB": ("build", "mb_on_disk"),
    "10 chunks replaced, ms (CPU)": ("update", "wall_ms_p50", "cpu_ms_p50"),
    "query p50, ms (CPU)": ("search", "wall_ms_p50", "cpu_ms_p50"),
    "query p95, ms (CPU)": ("search", "wall_ms_p95", "cpu_ms_p95"),
    "opening and first query, ms": ("search", "first_ms"),
    "search, MB": ("search", "peak_mb"),
}
"""Each column: the phase, a figure of it, and one that stands behind it in brackets."""


def table(lines: Sequence[Line]) -> str:
    """Return a table of one line an engine; what was not measured is a dash, its reason below.

    >>> phases = {"update": {"wall_ms_p50": 4.25, "cpu_ms_p50": 4.0}}
    >>> line = Line(engine="a", chunks=10, phases=phases, agreement=0.9)
    >>> print(table([line]).splitlines()[2])
    | a | 10 | - | - | - | 4.2 (4) | - | - | - | - | .90 |
    """
    heads = ["engine", "chunks", *COLUMNS, "of exact BM25's first ten"]
    rows = [
        [
            line.engine,
            f"{line.chunks:,}",
            *(_cell(line, *names) for names in COLUMNS.values()),
            _share(line.agreement),
        ]
        for line in lines
    ]
    head, *body = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    reasons = [f"{line.engine}: {line.problem}" for line in lines if line.problem]
    return "\n".join([head, f"|{'---|' * len(heads)}", *body, *reasons])


def steadiness_table(lines: Sequence[Steadiness]) -> str:
    """Return a table of one line an engine.

    >>> line = Steadiness(engine="a", ties="by id", same_after_updates=1.0)
    >>> print(steadiness_table([line]).splitlines()[2])
    | a | by id | 1.00 |
    """
    heads = "| engine | equal scores | questions with the same first ten after updates |"
    rows = [
        f"| {line.engine} | {line.problem or line.ties} | {_share(line.same_after_updates)} |"
        for line in lines
    ]
    return "\n".join([heads, "|---|---|---|", *rows])


def _cell(line: Line, phase: str, *names: str) -> str:
    figures = line.phases.get(phase)
    if figures is None:
        return "-"
    first, *behind = [_number(figures[name]) for name in names]
    return f"{first} ({behind[0]})" if behind else first


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"  # noqa: PLR2004 (digits that mean something)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".removeprefix("0")
