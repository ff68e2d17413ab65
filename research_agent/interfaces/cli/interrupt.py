"""Ctrl-C: once ends the question, twice the program."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from research_agent.stopping import Stop

STATUS = 130
"""The exit status of a program that Ctrl-C has ended."""
SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def ended_by_ctrl_c(stop: Stop) -> Iterator[None]:
    """Let the first Ctrl-C within the block end the question, and the second one the program.

    The question ends with StoppedError. Where another handler than Python's own is in place, or
    in other threads than the main one, Ctrl-C stays what it was.
    """
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not own or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def handle(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            _leave()
        pressed = True
        _write("\nstopping; Ctrl-C again ends at once\n")
        # (This runs between any two steps of the main thread, which may hold the lock of `stop`.)
        threading.Thread(target=stop.end, daemon=True).start()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave() -> None:
    """End the program as it stands: child processes end with their input, as its files close."""
    if sys.stderr.isatty():
        _write(SHOW_CURSOR)
    os._exit(STATUS)


def _write(text: str) -> None:
    """Write past Python's own buffers, which a signal must not enter a second time."""
    os.write(sys.stderr.fileno(), text.encode())
