"""The figures of the scale benchmark as a Markdown table."""

from collections.abc import Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]

COLUMNS = {
    "planner_on": "hybrid search with the planner",
    "planner_on_without_embedding": "… without embedding",
    "planner_off": "hybrid search without planner",
    "planner_off_without_embedding": "… without embedding",
    "dense": "vectors alone",
    "words": "words alone",
}


def table(lines: Sequence[Figures], built: Figures) -> str:
    """Return a table of one line an arm, and a sentence about building the index.

    >>> names = [*COLUMNS, "planner_on_cpu"]
    >>> line = dict.fromkeys(names, {"p50": 1.0, "p95": 2.5, "max": 3.0})
    >>> line |= {"chunks": 1000, "arm": "a", "recall": 1.0, "open_ms": 5, "peak_mb": 9}
    >>> built = {"ledger_seconds": 1, "caches_seconds": 2, "mb_on_disk": 3, "peak_mb": 4}
    >>> print(table([line], built).splitlines()[2][:42])
    | 1,000, a | 1.0 / 2.5 (2.5) | 1.0 / 2.5 |
    """
    heads = [
        "p50 / p95, ms (p95 of CPU)",
        *COLUMNS.values(),
        "recall@10",
        "opening, ms",
        "memory, MB",
    ]
    rows = [
        [
            f"{line['chunks']:,}, {line['arm']}",
            *(_cell(line, name) for name in COLUMNS),
            f"{line['recall']:.3f}",
            str(line["open_ms"]),
            str(line["peak_mb"]),
        ]
        for line in lines
    ]
    head, *body = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    told = (
        f"Built in {built['ledger_seconds']} s (ledger) and {built['caches_seconds']} s (words and "
        f"vectors), {built['mb_on_disk']} MB on disk, {built['peak_mb']} MB of memory."
    )
    return "\n".join([head, f"|{'---|' * len(heads)}", *body, "", told])


def _cell(line: Figures, name: str) -> str:
    told = f"{line[name]['p50']:.1f} / {line[name]['p95']:.1f}"
    cpu = line.get(f"{name}_cpu")
    return f"{told} ({cpu['p95']:.1f})" if cpu else told
