"""Every fault of a model server, from the connection through the graph to the result."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.faults.asking import Outcome, ask_all
from benchmarks.faults.good import documents_index
from benchmarks.faults.report import table, write
from benchmarks.faults.rows import Row, model_rows, rows
from benchmarks.places import RESULTS
from research_agent.models.adapters.minilm import MiniLM

__all__ = ["Outcome", "Row", "ask_all", "documents_index", "rows", "run", "table", "write"]

SECONDS, TIMEOUT = 6.0, 1.5
EMBEDDED_SECONDS, EMBEDDED_TIMEOUT = 240.0, 60.0
"""`budget.seconds` and `models.timeout`; the embedded model needs longer."""


def run(*, embedded: bool = False, only: str = "") -> Sequence[Outcome]:
    """Ask under every fault, and keep the outcomes unless `only` some are asked under.

    Without `embedded` the rows of the embedded model are missing from what is kept.
    """
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        index, embedder = documents_index(Path(folder)), MiniLM()
        wanted = [row for row in rows() if only in row.name]
        outcomes = ask_all(wanted, index, embedder, seconds=SECONDS, timeout=TIMEOUT)
        if embedded:
            real = [row for row in model_rows() if only in row.name]
            outcomes += ask_all(
                real, index, embedder, seconds=EMBEDDED_SECONDS, timeout=EMBEDDED_TIMEOUT
            )
    if not only:
        write(outcomes, RESULTS)
    return outcomes
