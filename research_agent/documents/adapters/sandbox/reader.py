"""The parent's side: a document reader that survives what it reads."""

import contextlib
import signal
import subprocess
import sys
import threading
from typing import IO

from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox.frames import (
    message_document,
    read_frame,
    write_frame,
)
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

START_SECONDS = 60.0
"""Time a child may take to start; the first start of a machine reads much from the disk."""
MEMORY_HINT = "raise documents.parse_memory_mb if the file is worth it"
TIME_HINT = "raise documents.parse_seconds if the file is worth it"

_START = (  # the parent's search path, and not the folder it was started in
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "from research_agent.documents.adapters.sandbox.child import main; main()"
)


class SandboxedFunction(Closing):
    """A function of one text, such as a path, that is called in a child process.

    The child is started with the first file and used for the next ones; a crash, too much time or
    too much memory costs one file, and the next file gets a new child. Not for several threads.
    """

    def __init__(self, target: str, *, seconds: float, memory_mb: int) -> None:
        """Call `target` ("package.module:function"), which takes a text.

        A call may take `seconds`; the child may take `memory_mb` of address space, where the
        system can limit that.
        """
        self._target = target
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._child: subprocess.Popen[bytes] | None = None

    def call(self, request: str) -> dict[str, object]:
        """Return the child's reply; raises DocumentError for whatever prevents one."""
        try:
            reply = self._ask(request)
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

    def stop(self) -> None:
        """Kill the child, whoever waits for it; a call that is going on fails."""
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the child; `call` may be called again all the same."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        with contextlib.suppress(OSError):
            child.communicate()

    def _ask(self, path: str) -> dict[str, object]:
        child = self._child or self._started()
        return self._exchange(child, path, self._seconds)

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
        self, child: subprocess.Popen[bytes], path: str | None, seconds: float
    ) -> dict[str, object]:
        """Send a path, if any, and return the reply; raises DocumentError where none comes."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            requests, replies = _pipes(child)
            if path is not None:
                write_frame(requests, path)
            reply = read_frame(replies)
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
            return message_document(self.call(path)["document"])
        except (TypeError, KeyError) as error:
            raise DocumentError("the parser failed: its reply is no document") from error


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if child.stdin is None or child.stdout is None:
        raise EOFError
    return child.stdin, child.stdout


def _crash(child: subprocess.Popen[bytes]) -> str:
    """Return what is known of a child that has ended."""
    try:
        code = child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return "the parser stopped answering"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"the parser crashed ({signal.Signals(-code).name})"
    return f"the parser crashed (exit status {code})"
