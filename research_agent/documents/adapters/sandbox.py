"""Hostile files: each is read in a child process with limits of memory and time.

Parent and child exchange JSON, and not pickle, because a file that takes over the child must not
get into the parent. A message is a line.
"""

import contextlib
import faulthandler
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from research_agent.closeable import Closing
from research_agent.errors import DocumentError, ResearchAgentError
from research_agent.types.documents import Block, ParsedDocument, ParseQuality
from research_agent.types.references import PRIORITY, Link

START_SECONDS = 60.0
"""Time a child may take to start; the first start of a machine reads much from the disk."""
GRACE = 5.0  # seconds after its time limit at which a child that nobody has stopped ends itself
LARGEST = 1 << 30  # bytes of a message at most
MOST_PARTS = 250_000  # paragraphs, anchors and links of a document at most: hundreds of MB
LONGEST_NAME = 500  # characters of a title, a heading or a page's label that every chunk repeats
MEMORY_HINT = "raise documents.parse_memory_mb if the file is worth it"
TIME_HINT = "raise documents.parse_seconds if the file is worth it"

_START = (  # the parent's search path, and not the folder it was started in
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "from research_agent.documents.adapters.sandbox import serve; serve()"
)


class SandboxedFunction(Closing):
    """A function of one text, such as a path, that is called in a child process.

    The child is started with the first call and used for the next ones; a crash, too much time or
    too much memory costs one call, and the next one gets a new child. Not for several threads.
    """

    def __init__(self, target: str, *, seconds: float, memory_mb: int) -> None:
        """Call `target` ("package.module:function") within `seconds` and `memory_mb`."""
        self._target = target
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._child: subprocess.Popen[bytes] | None = None

    def call(self, request: str) -> dict[str, object]:
        """Return the child's reply; raises DocumentError for whatever prevents one."""
        try:
            reply = self._exchange(self._child or self._started(), request, self._seconds)
        except BaseException:
            self.close()  # no reply, or half of one: this child cannot be asked again
            raise
        if "memory" in reply:
            self.close()
            reason = f"reading it takes more than {self._memory_mb} MB of memory"
            raise DocumentError(reason, hint=MEMORY_HINT)
        if "error" in reply:
            raise DocumentError(str(reply["error"]), hint=str(reply.get("hint", "")))
        return reply

    def close(self) -> None:
        """End the child; `call` may be called again all the same."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with contextlib.suppress(OSError):
                child.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        search = "\n".join(entry for entry in sys.path if entry)
        limits = [str(self._seconds), str(self._memory_mb)]
        self._child = subprocess.Popen(  # noqa: S603 (our own interpreter and our own module)
            [sys.executable, "-P", "-c", _START, search, self._target, *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._exchange(self._child, None, START_SECONDS)
        return self._child

    def _exchange(
        self, child: subprocess.Popen[bytes], request: str | None, seconds: float
    ) -> dict[str, object]:
        late = threading.Event()

        def stop() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            if request is not None:
                _send(child.stdin, request)
            reply = _receive(child.stdout)
        except (EOFError, OSError, ValueError) as error:
            if late.is_set():
                raise DocumentError(f"took more than {seconds:g} s", hint=TIME_HINT) from error
            raise DocumentError(_crash(child)) from error
        finally:
            timer.cancel()
            timer.join()
        return reply if isinstance(reply, dict) else {}


class SandboxedReader(SandboxedFunction):
    """Reads files with a function that takes a path and returns the document in it."""

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file; raises DocumentError, whatever the file holds."""
        try:
            return _document(self.call(path)["document"])
        except (TypeError, KeyError) as error:
            raise DocumentError("the parser failed: its reply is no document") from error


def serve() -> None:
    """Serve the function named by the arguments: "module:function", seconds, megabytes."""
    target, seconds, megabytes = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    requests, replies = _private_pipes()
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    module, _, name = target.partition(":")
    function: Callable[[str], object] = getattr(importlib.import_module(module), name)
    _send(replies, {"ready": True})
    asked: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(requests, asked), daemon=True).start()
    with open(os.devnull, "w", encoding="ascii") as nowhere:  # noqa: PTH123 (os.devnull is no path)
        while True:
            request = asked.get()
            faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=nowhere)
            reply = _reply(function, request)
            faulthandler.cancel_dump_traceback_later()
            _send(replies, reply)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes to the parent for ourselves: what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return requests, replies


def _listen(requests: IO[bytes], asked: "queue.Queue[str]") -> None:
    """Pass on what the parent asks; end the process at once when the parent has ended."""
    try:
        while True:
            asked.put(str(_receive(requests)))
    except (EOFError, OSError, ValueError):
        os._exit(0)


def _reply(function: Callable[[str], object], request: str) -> object:
    """Return the document or other value, or what prevents it; the child goes on in both cases."""
    try:
        value = function(request)
        return _document_reply(value) if isinstance(value, ParsedDocument) else {"value": value}
    except ResearchAgentError as error:
        return {"error": str(error), "hint": error.hint}
    except MemoryError:
        return {"memory": True}
    except OSError as error:
        return {"error": f"cannot be read: {error.strerror or error}"}
    except Exception as error:  # noqa: BLE001 (a hostile file may make a parser raise anything)
        return {"error": f"the parser failed: {type(error).__name__}: {error}"[:200]}


def _document_reply(document: ParsedDocument) -> object:
    parts = sum(1 + len(block.anchors) + len(block.links) for block in document.blocks)
    if parts > MOST_PARTS:
        what = f"it has {parts:,} paragraphs and links; {MOST_PARTS:,} can be read"
        raise DocumentError(what, hint="split the file")
    return {"document": document}


def _send(stream: IO[bytes] | None, message: object) -> None:
    if stream is None:
        raise EOFError
    stream.write(json.dumps(message, default=_fields).encode("ascii") + b"\n")
    stream.flush()


def _fields(value: object) -> dict[str, object]:
    """Return one of our values as JSON has it; unlike `asdict` without a copy of what it holds."""
    return {name: getattr(value, name) for name in type(value).__slots__}  # type: ignore[attr-defined]


def _receive(stream: IO[bytes] | None) -> object:
    data = stream.readline(LARGEST) if stream else b""
    if not data.endswith(b"\n"):
        raise EOFError
    message: object = json.loads(data)
    return message


def _document(message: object) -> ParsedDocument:
    if not isinstance(message, dict):
        raise TypeError
    return ParsedDocument(
        blocks=tuple(_block(block) for block in message["blocks"]),
        title=str(message["title"])[:LONGEST_NAME],
        date=str(message["date"]),
        page_texts=tuple(message["page_texts"]),
        page_labels=tuple(label[:LONGEST_NAME] for label in message["page_labels"]),
        warnings=tuple(message["warnings"]),
        quality=ParseQuality(**message["quality"]),
        textless_pages=tuple(message["textless_pages"]),
    )


def _block(message: dict[str, Any]) -> Block:
    links = tuple(Link(**link) for link in message["links"])
    if wrong := {link.kind for link in links} - set(PRIORITY):
        raise KeyError(*wrong)
    section = tuple(heading[:LONGEST_NAME] for heading in message["section"])
    lists = {"section": section, "anchors": tuple(message["anchors"]), "links": links}
    return Block(**{**message, **lists})


def _crash(child: subprocess.Popen[bytes]) -> str:
    try:
        code = child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return "the parser stopped answering"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"the parser crashed ({signal.Signals(-code).name})"
    return f"the parser crashed (exit status {code})"
