"""How things look in a terminal: no colour where it is none, no hidden characters anywhere."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from research_agent.interfaces.steps import begun_text, step_text
from research_agent.text.visible import visible
from research_agent.types.events import Event, SentenceChecked, Stopped, Warned

if TYPE_CHECKING:
    from rich.progress import Progress as Live
    from rich.progress import ProgressColumn


def say_json(value: object) -> None:
    """Print a value as JSON in ASCII: what cannot be seen is escaped, and still the same text."""
    click.echo(json.dumps(value, indent=2))


def say(text: str, *, dim: bool = False, error: bool = False) -> None:
    """Print a line to stdout, or to stderr; dim where the terminal can."""
    styled = dim and is_rich(sys.stderr if error else sys.stdout)
    click.echo(click.style(visible(text), dim=True) if styled else visible(text), err=error)


def note(text: str, *, mark: str = "note: ") -> None:
    """Tell something beside the answers, on stderr."""
    say(f"{mark}{text}", dim=True, error=True)


def is_rich(stream: TextIO) -> bool:
    """Return whether a stream may show styles, links and lines that move (see NO_COLOR)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is (0: unknown)."""


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Give a function that shows progress in a terminal: a bar, until all is done."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _of: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    bar = _live(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    task = bar.add_task("", total=None)

    def show(what: str, done: int, of: int) -> None:
        bar.start()
        bar.update(task, description=_escaped(what), completed=done, total=of or None)
        if of and done >= of:
            bar.stop()

    try:
        yield show
    finally:
        bar.stop()


def _live(*columns: "ProgressColumn") -> "Live":
    from rich.console import Console
    from rich.progress import Progress as Live

    return Live(*columns, console=Console(stderr=True), transient=True)


@dataclass(frozen=True, slots=True)
class Steps:
    """Tells on stderr what a question does: in a line that moves, or with a line a step."""

    verbose: bool
    """Every step has a line; else a terminal has one that moves, unless `quiet`."""
    quiet: bool

    @contextmanager
    def shown(self) -> Iterator[Callable[[Event], None]]:
        """Give what is told each event."""
        if self.verbose or self.quiet or not is_rich(sys.stderr):
            yield self._tell
            return
        from rich.progress import SpinnerColumn, TextColumn

        columns = TextColumn("{task.description} {task.elapsed:.0f} s")
        with _live(SpinnerColumn(), columns) as live:
            task = live.add_task("starting", total=None)

            def see(event: Event) -> None:
                checked = isinstance(event, SentenceChecked)
                if text := step_text(event) if checked else begun_text(event):
                    live.update(task, description=_escaped(text[:100]))
                self._tell(event)

            yield see

    def _tell(self, event: Event) -> None:
        if isinstance(event, Stopped):
            if event.reason == "cancelled":
                note(step_text(event), mark="")
        elif self.verbose and isinstance(event, Warned):
            note(event.text)
        elif self.verbose and (line := begun_text(event) if _slow(event) else step_text(event)):
            note(line, mark="")


def _slow(event: Event) -> bool:
    return event.event == "step_started" and event.step == "answer"


def _escaped(text: str) -> str:
    return visible(text).replace("[", "\\[")
