"""What every command begins and ends with: settings, errors in words, Ctrl-C."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from importlib.util import find_spec
from types import FrameType
from typing import ParamSpec

import click

from research_agent import errors
from research_agent.assembly.connection import Connection, connect
from research_agent.assembly.diagnosis.network import outside_hosts
from research_agent.config import configured
from research_agent.interfaces.cli.terminal import note, progress_bar, say
from research_agent.network_guard import NetworkGuard
from research_agent.presets import described
from research_agent.settings import Settings
from research_agent.stopping import Stop
from research_agent.text.visible import visible

P = ParamSpec("P")
INTERRUPTED = 130
"""The exit status of a program that Ctrl-C has ended."""
SHOW_CURSOR = "\x1b[?25h"
_guards: list[NetworkGuard] = []


def start(config: str | None, *, tells_preset: bool = False, quiet: bool = False) -> Settings:
    """Return the user's settings; where they say offline, nothing else is reached from now on.

    Which files they come from, unless one is named, and which hosts outside this machine may be
    asked, is told on stderr unless `quiet`; so is the preset, where questions are answered. For the
    command line alone: it holds for the whole process. Raises ConfigError.
    """
    found = configured(config, os.environ)
    settings = found.settings
    if settings.models.offline and not _guards:
        _guards.append(NetworkGuard())
    outside = outside_hosts(settings, os.environ)
    files = found.files if outside or not config else ()  # (who names a file knows it)
    parts = [described(settings)] if tells_preset else []
    parts += [f"settings: {', '.join(map(str, files))}"] if files else []
    parts += [f"outside this machine: {', '.join(outside)}"] if outside else []
    if parts and not quiet:
        say("; ".join(parts), dim=True, error=True)
    for line in found.notes:
        note(line)
    return settings


@contextmanager
def opened(index: str, settings: Settings) -> Iterator[Connection]:
    """Connect to an index and the models; joining the weights shows its progress."""
    with progress_bar() as show:
        joining = partial(show, "joining the weights")
        with connect(index, settings, os.environ, on_bytes=joining, on_note=note) as connection:
            yield connection


def needs(*packages: str, extra: str) -> None:
    """Raise ConfigError where a package of an extra is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise errors.ConfigError(
                f"the package {package.replace('_', '-')} is not installed",
                hint=f'Install it: pip install "research-agent[{extra}]"',
            )


def lift() -> None:
    """Let the process out again, for those who run commands within a program of their own."""
    while _guards:
        _guards.pop().close()


def exits(command: Callable[P, int]) -> Callable[P, None]:
    """Run a command, tell its errors in words, and exit with its status."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        raise SystemExit(_status(partial(command, *args, **kwargs)))

    return run


def _status(command: Callable[[], int]) -> int:
    try:
        return command()
    except errors.ResearchAgentError as error:
        tell_error(str(error), error.hint)
        wrong_input = (
            errors.ConfigError
            | errors.QuestionError
            | errors.QuestionSetError
            | errors.ToolInputError
        )
        return 2 if isinstance(error, wrong_input) else 1
    except (KeyboardInterrupt, click.Abort):  # (Abort: at a question of ours)
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # (the reader of our output has gone)
        sys.stderr.close()
        return 0
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:  # (a fault of ours is told in words too)
        if os.environ.get("RESEARCH_AGENT_DEBUG"):
            raise
        if isinstance(error, OSError) and error.strerror:  # (a full disk, a folder that is gone)
            tell_error(": ".join(filter(None, (error.filename, error.strerror))), "")
        else:
            what = f"unexpected {type(error).__name__}: {error}"
            tell_error(what, "RESEARCH_AGENT_DEBUG=1 shows where; please report it")
        return 1


def tell_error(message: str, hint: str) -> None:
    """Print an error and its hint to stderr."""
    click.echo(f"error: {visible(message)}", err=True)
    if hint:
        click.echo(f"hint: {visible(hint)}", err=True)


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
    os._exit(INTERRUPTED)


def _write(text: str) -> None:
    """Write past Python's own buffers, which a signal must not enter a second time."""
    os.write(sys.stderr.fileno(), text.encode())
