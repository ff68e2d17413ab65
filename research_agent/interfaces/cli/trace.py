"""`ask --trace`: a run as it was, in a file that can be replayed."""

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

from research_agent.answering.events import Known, stopped_by
from research_agent.assembly.connection import Connection
from research_agent.assembly.traces import TraceFile, header, recorded_ports
from research_agent.interfaces.events import Tasks, Watching, after, event_json
from research_agent.ports import Ports
from research_agent.types.events import Asked, Event


class Trace:
    """The trace of one question that is being answered."""

    def __init__(self, file: TraceFile, question: str) -> None:
        """Write to `file`."""
        self._file, self._question = file, question
        self._known, self._begun = Known(drafts=True), 0.0
        self.path = str(file.path)

    def ports(self, connection: Connection, ports: Ports) -> Ports:
        """Return `ports` with every call to a model written."""
        return recorded_ports(ports, connection.settings, self._file.write)

    def behind(self, watching: Watching) -> Watching:
        """Return one that passes on what `watching` does, and writes it."""
        return lambda tasks: self.watching(watching(tasks))

    def watching(self, tasks: Tasks) -> Iterator[Any]:
        """Pass tasks on, and write every event, and what each node of the graph wrote.

        What the nodes of the search wrote is in its own result.
        """
        self._begun = time.perf_counter()
        self._tell((Asked(question=self._question),))
        try:
            for space, task in tasks:
                self._known, events = after(self._known, task)
                if not space and "result" in task and not task.get("error"):
                    self._file.write(_step(self._known.round, task))
                self._tell(events)
                yield space, task
        except GeneratorExit:
            raise
        except BaseException as error:
            self._tell((stopped_by(error, self._known),))
            raise

    def _tell(self, events: tuple[Event, ...]) -> None:
        at = time.perf_counter() - self._begun
        for event in events:
            self._file.write({"line": "event", **event_json(replace(event, at=at))})


@contextmanager
def tracing(
    folder: str,
    question: str,
    location: str,
    connection: Connection,
    *,
    on_problem: Callable[[str], None],
) -> Iterator[Trace]:
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
                index=str(Path(location).expanduser().absolute()) if "/" in location else location,
                fingerprint=asdict(connection.header()),
            )
        )
        yield Trace(file, question)


def _step(round_: int, task: Any) -> dict[str, object]:  # noqa: ANN401 (LangGraph's own)
    from pydantic_core import to_jsonable_python

    wrote = to_jsonable_python(task["result"])
    return {"line": "step", "step": task["name"], "round": round_, "wrote": wrote}
