"""The child process: reads files with one function until its parent goes away."""

import contextlib
import faulthandler
import importlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import IO

from research_agent.documents.adapters.sandbox.frames import (
    document_message,
    read_frame,
    write_frame,
)
from research_agent.errors import ResearchAgentError
from research_agent.types.documents import ParsedDocument

GRACE = 5.0
"""Seconds after its time that a child, which nobody has stopped, ends itself."""


def main() -> None:
    """Serve the function named by the arguments: "module:function", seconds, megabytes."""
    target, seconds, memory = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    requests, replies = _private_pipes()
    _limit_memory(memory)
    read = _function(target)
    write_frame(replies, {"ready": True})
    paths: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(requests, paths), daemon=True).start()
    with open(os.devnull, "w", encoding="ascii") as nowhere:  # noqa: PTH123 (os.devnull is no path)
        while True:
            path = paths.get()
            faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=nowhere)
            reply = _reply(read, path)
            faulthandler.cancel_dump_traceback_later()
            write_frame(replies, reply)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes to the parent for ourselves: what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return requests, replies


def _limit_memory(megabytes: int) -> None:
    """Limit the address space, and leave no memory image behind; where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def _function(target: str) -> Callable[[str], object]:
    module, _, name = target.partition(":")
    found: Callable[[str], object] = getattr(importlib.import_module(module), name)
    return found


def _listen(requests: IO[bytes], paths: "queue.Queue[str]") -> None:
    """Pass on what the parent asks; end the process at once when the parent has ended."""
    try:
        while True:
            paths.put(str(read_frame(requests)))
    except (EOFError, OSError, ValueError):
        os._exit(0)


def _message(value: object) -> object:
    """Return a value as JSON's own types; all but documents is that already."""
    if isinstance(value, ParsedDocument):
        return {"document": document_message(value)}
    return {"value": value}


def _reply(read: Callable[[str], object], path: str) -> object:
    """Return the document or other value, or what prevents it; the child goes on in both cases."""
    try:
        return _message(read(path))
    except ResearchAgentError as error:
        return {"error": str(error), "hint": error.hint}
    except MemoryError:
        return {"memory": True}
    except OSError as error:
        return {"error": f"cannot be read: {error.strerror or error}"}
    except Exception as error:  # noqa: BLE001 (a hostile file may make a parser raise anything)
        return {"error": f"the parser failed: {type(error).__name__}: {error}"[:200]}
