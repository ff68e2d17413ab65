"""The embedded model: a llama.cpp server in a child process, on this machine's own address."""

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from typing import IO

from research_agent.errors import ModelMissingError, ModelUnavailableError

START_SECONDS = 120.0
STOP_SECONDS = 5.0
LOG_LINES = 5
CHILD = Path(__file__).with_name("llama_child.py")


class LlamaServer:
    """A server that starts when it is first needed, and ends with this process at the latest.

    Safe to share between threads. A server that was killed is started anew by the next call.
    """

    def __init__(self, path: Callable[[], Path], *, context: int, threads: int = 0) -> None:
        """Serve the GGUF file that `path` gives at the start; `threads` 0: one a core."""
        self.api_key = secrets.token_urlsafe(24)
        """Headers that every request needs."""
        self._path = path
        self._context = context
        own = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
        self._threads = threads or own or 1
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""
        self._stop: Callable[[], object] = lambda: None

    def base_url(self) -> str:
        """Return the address of the server, and start it where it does not run.

        Raises ModelMissingError where the weights or the package `xllamacpp` are not installed,
        ModelUnavailableError where the server does not start.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
            return self._url

    def close(self) -> None:
        """End the server, if it runs. A later call starts it again."""
        with self._lock:
            self._stop()
            self._process, self._stop = None, lambda: None

    def _start(self) -> None:
        require_runtime()
        path = self._path()
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(  # noqa: S603 (our own program, no shell)
                [sys.executable, "-P", str(CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
            )
            self._process = process
            self._stop = weakref.finalize(self, _end, process)
            try:
                address = self._address(process, path)
            except BaseException:
                self._stop()
                raise
            if not address:
                self._stop()
                raise _failed(path, log)
        self._url = f"{address}/v1"

    def _address(self, process: subprocess.Popen[bytes], path: Path) -> str:
        """Tell the child what to serve and return its address; empty where it gave up."""
        asked = {"path": str(path), "name": path.stem, "key": self.api_key}
        limits = {"context": self._context, "threads": self._threads}
        stdin, stdout = _pipes(process)
        try:
            stdin.write(json.dumps(asked | limits).encode() + b"\n")
        except BrokenPipeError:
            return ""
        lines: list[bytes] = []
        reader = Thread(target=lambda: lines.append(stdout.readline()), daemon=True)
        reader.start()
        reader.join(START_SECONDS)
        if reader.is_alive():
            process.kill()
            reader.join()
            raise ModelUnavailableError(
                f"the embedded model {path.name} did not start within {START_SECONDS:.0f} s",
                hint="Close other programs, or choose models.local.weights: 0.5b.",
            )
        return lines[0].decode().strip()


def require_runtime() -> None:
    """Raise ModelMissingError where the package that runs the model is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelMissingError(
            "the embedded model needs the package xllamacpp, which is not installed",
            hint='pip install "research-agent[local]"',
        )


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise OSError("the child has no pipes")
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child by ending its input, by force where that does not help."""
    stdin, stdout = _pipes(process)
    stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stdout.close()


def _failed(path: Path, log: IO[bytes]) -> ModelUnavailableError:
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()[-LOG_LINES:]
    said = "\n".join(lines) or "it said nothing"
    return ModelUnavailableError(
        f"the embedded model {path.name} did not start:\n{said}",
        hint="The file may be damaged or too large for the memory: `research-agent models` shows "
        "what is installed; models.local.weights: 0.5b and a smaller models.local.context "
        "need less.",
    )
