"""Every fault of a model server, from the connection through the graph to the result."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import RESULTS, markdown
from benchmarks.faults import bedrock_rows, openai_rows, setup_rows
from benchmarks.faults.asking import Outcome, ask_all
from benchmarks.faults.good import Row, Terms, documents_index
from research_agent.models.adapters.minilm import MiniLM

__all__ = ["Outcome", "Row", "Terms", "asked", "documents_index", "rows", "run", "table"]

HEADS = ("fault", "met by", "outcome", "what is said", "tries again", "s", "in time")
TERMS = Terms(seconds=6.0, timeout=1.5)


def rows() -> tuple[Row, ...]:
    """Return all rows that need no model."""
    return (*openai_rows.rows(), *bedrock_rows.rows(), *setup_rows.rows())


def asked(wanted: Sequence[Row], index: str, terms: Terms) -> list[Outcome]:
    """Ask under each fault, after once without one."""
    first = [row for row in rows() if row.fault == "no fault"]
    return ask_all(wanted, index, MiniLM(), terms, first=first)


def run(only: str = "") -> Sequence[Outcome]:
    """Ask under every fault, and keep the outcomes unless `only` some are asked under."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        wanted = [row for row in rows() if only in row.name]
        outcomes = asked(wanted, documents_index(Path(folder)), TERMS)
    if not only:
        (RESULTS / "faults.md").write_text(f"# Faults\n\n{table(outcomes)}\n", encoding="utf-8")
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as a Markdown table, and below it the rules that rows break."""
    broken = [
        f"- {outcome.provider}, {outcome.fault} ({outcome.place}): {', '.join(outcome.broken)}"
        for outcome in outcomes
        if outcome.broken
    ]
    longest: dict[float, float] = {}
    for outcome in outcomes:
        longest[outcome.deadline] = max(longest.get(outcome.deadline, 0.0), outcome.seconds)
    times = (f"the longest {most:.1f} s of {deadline:g}" for deadline, most in longest.items())
    total = ", ".join([f"{len(outcomes)} rows", *times, f"{len(broken)} break a rule."])
    return "\n".join([markdown(HEADS, map(_cells, outcomes)), "", total, *broken])


def _cells(outcome: Outcome) -> Sequence[str]:
    """Return a row's cells; of an error also whether it may pass, and its hint."""
    message = "; ".join(outcome.warnings)
    if outcome.retryable is not None:
        may = "may pass" if outcome.retryable else "will not pass"
        message = f"{outcome.message} ({may}). {outcome.hint}"
    cells = (
        f"{outcome.provider}: {outcome.fault}",
        outcome.place,
        outcome.outcome,
        message,
        str(outcome.retries),
        f"{outcome.seconds:.1f}",
        "yes" if outcome.in_time else "NO",
    )
    return [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
