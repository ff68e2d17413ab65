"""What a command shows while it works: a bar, or a line with a spinner and seconds."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TextIO

from research_agent.interfaces.cli.terminal import is_rich, note
from research_agent.interfaces.steps import begun_text, step_text
from research_agent.text.visible import visible
from research_agent.types.events import Event, SentenceChecked, Stopped, Warned

if TYPE_CHECKING:
    from rich.progress import Progress as Live

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is (0: unknown)."""


@contextmanager
def progress_bar(stream: TextIO = sys.stderr) -> Iterator[Progress]:
    """Give a function that shows progress: a bar in a terminal, nothing elsewhere."""
    if not stream.isatty():
        yield lambda _what, _done, _of: None
        return
    bar = _Bar(stream)
    try:
        yield bar.show
    finally:
        bar.stop()


class _Bar:
    """A bar that appears with the first progress and goes when all is done."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stack: ExitStack | None = None

    def show(self, what: str, done: int, of: int) -> None:
        """Draw the bar."""
        if self._stack is None:
            self._start()
        self._update(what, done, of)
        if of and done >= of:
            self.stop()

    def stop(self) -> None:
        """Take the bar away, if there is one."""
        if self._stack:
            self._stack.close()
            self._stack = None

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Rich

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._stack = ExitStack()
        rich = self._stack.enter_context(
            Rich(*columns, console=Console(file=self._stream), transient=True)
        )
        task = rich.add_task("", total=None)
        self._update: Progress = lambda what, done, of: rich.update(
            task, description=_escaped(what), completed=done, total=of or None
        )


class Steps:
    """Tells on stderr what a question does: in a line that moves, or with a line a step."""

    def __init__(self, *, verbose: bool, quiet: bool) -> None:
        """`verbose`: every step has a line; else a terminal has one that moves, unless `quiet`."""
        self.verbose, self.quiet = verbose, quiet
        self._live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[Callable[[Event], None]]:
        """Give what is told each event."""
        if self.verbose or self.quiet or not is_rich(sys.stderr):
            yield self._tell
            return
        from rich.console import Console
        from rich.progress import Progress as Rich
        from rich.progress import SpinnerColumn, TextColumn

        columns = (SpinnerColumn(), TextColumn("{task.description} {task.elapsed:.0f} s"))
        with Rich(*columns, console=Console(file=sys.stderr), transient=True) as self._live:
            task = self._live.add_task("starting", total=None)
            live = self._live

            def see(event: Event) -> None:
                checked = isinstance(event, SentenceChecked)
                if said := step_text(event) if checked else begun_text(event):
                    live.update(task, description=_escaped(said[:100]))
                self._tell(event)

            yield see

    def _tell(self, event: Event) -> None:
        """Print a line where a person wants it: each step, and always that it was stopped."""
        if isinstance(event, Stopped):
            if event.reason == "cancelled":
                note(step_text(event), mark="")
        elif self.verbose and isinstance(event, Warned):
            note(event.text)
        elif self.verbose and (said := begun_text(event) if _slow(event) else step_text(event)):
            note(said, mark="")


def _slow(event: Event) -> bool:
    """Return whether a step begins that takes long with a small model."""
    return event.event == "step_started" and event.step == "answer"


def _escaped(text: str) -> str:
    """Return visible `text` so that rich does not read markup in it."""
    return visible(text).replace("[", "\\[")
