"""The table of the faults."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.faults.asking import Outcome

HEADS = ("fault", "met by", "outcome", "what is said", "tries again", "s", "in time")


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as a Markdown table, and below it the rules that rows break."""
    lines = [_line(HEADS), _line(["---"] * len(HEADS))]
    lines += [_line(_cells(told)) for told in outcomes]
    broken = [
        f"- {told.provider}, {told.fault} ({told.place}): {', '.join(told.broken)}"
        for told in outcomes
        if told.broken
    ]
    return "\n".join([*lines, "", f"{_total(outcomes)}, {len(broken)} break a rule.", *broken])


def write(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Keep the table and one JSON object a row in `folder`."""
    (folder / "faults.md").write_text(f"# Faults\n\n{table(outcomes)}\n", encoding="utf-8")
    with (folder / "faults.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({**asdict(told), "in_time": told.in_time}, ensure_ascii=False) + "\n"
            for told in outcomes
        )


def _total(outcomes: Sequence[Outcome]) -> str:
    """Return how many rows there are, and the longest below each deadline."""
    longest: dict[float, float] = {}
    for told in outcomes:
        longest[told.deadline] = max(longest.get(told.deadline, 0.0), told.seconds)
    times = (f"the longest {most:.1f} s of {deadline:g}" for deadline, most in longest.items())
    return ", ".join([f"{len(outcomes)} rows", *times])


def _cells(told: Outcome) -> Sequence[str]:
    """Return a row's cells; of an error also whether it may pass, and its hint."""
    said = "; ".join(told.warnings)
    if told.retryable is not None:
        may = "may pass" if told.retryable else "will not pass"
        said = f"{told.message} ({may}). {told.hint}"
    return (
        f"{told.provider}: {told.fault}",
        told.place,
        told.outcome,
        said,
        str(told.retries),
        f"{told.seconds:.1f}",
        "yes" if told.in_time else "NO",
    )


def _line(cells: Sequence[str]) -> str:
    clean = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
    return f"| {' | '.join(clean)} |"
