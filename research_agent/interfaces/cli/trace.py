"""`ask --trace`: a run as it was, in a file that can be replayed."""

import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from uuid import uuid4

from research_agent.assembly.connection import Connection
from research_agent.assembly.shared import full_location
from research_agent.assembly.traces import TraceFile, header
from research_agent.interfaces.events import event_json
from research_agent.interfaces.own_graphs import resuming
from research_agent.types.events import Event


def write_step(file: TraceFile, step: str, round_: int, wrote: Mapping[str, Any]) -> None:
    """Write what a node of the graph wrote; those of the search are in its own result."""
    from pydantic_core import to_jsonable_python

    if step in resuming.NODES:
        line = {"line": "step", "step": step, "round": round_}
        file.write({**line, "wrote": to_jsonable_python(wrote)})


def write_event(file: TraceFile, event: Event) -> None:
    """Write an event."""
    file.write({"line": "event", **event_json(event)})


@contextmanager
def tracing(
    folder: str,
    question: str,
    location: str,
    connection: Connection,
    *,
    on_problem: Callable[[str], None],
) -> Iterator[TraceFile]:
    """Give the trace of a question, a new file in `folder`; raises PathError."""
    begun = datetime.now(UTC)
    name = f"{begun:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}.jsonl"
    with TraceFile(folder, name, on_problem=on_problem) as file:
        file.write(
            header(
                connection.settings,
                connection.ports,
                question=question,
                begun=begun.isoformat(timespec="seconds"),
                version=version("research-agent"),
                python=platform.python_version(),
                index=full_location(location),
                fingerprint=asdict(connection.header()),
            )
        )
        yield file
