"""`ask --trace`: a run as it was, in a file that can be replayed."""

import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from uuid import uuid4

from pydantic_core import to_jsonable_python

from research_agent.assembly.connection import Connection
from research_agent.assembly.shared import full_location
from research_agent.assembly.traces import TraceFile, header
from research_agent.interfaces.cli.terminal import note
from research_agent.interfaces.events import event_json
from research_agent.interfaces.own_graphs import resuming
from research_agent.types.events import Event, Watching


@contextmanager
def tracing(
    folder: str, question: str, location: str, connection: Connection
) -> Iterator[tuple[TraceFile, Watching]]:
    """Give the trace of a question and what writes its steps and events; raises PathError."""
    begun = datetime.now(UTC)
    name = f"{begun:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}.jsonl"
    with TraceFile(folder, name, on_problem=note) as file:
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

        def on_event(event: Event) -> None:
            file.write({"line": "event", **event_json(event)})

        def on_step(step: str, round_: int, wrote: Mapping[str, Any]) -> None:
            if step in resuming.NODES:  # (what the search's own nodes wrote is in its result)
                line = {"line": "step", "step": step, "round": round_}
                file.write({**line, "wrote": to_jsonable_python(wrote)})

        yield file, Watching(on_event=(on_event,), on_step=(on_step,))
        if file.is_whole:
            note(f"trace: {file.path}")
