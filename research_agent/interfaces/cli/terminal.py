"""How things look in a terminal: no colour where it is none, no hidden characters anywhere."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

import click

from research_agent.answering.result_lines import lacking_lines, marks_line
from research_agent.text.visible import visible
from research_agent.types.result import Citation, Conflict, ResearchResult

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is (0: unknown)."""


def say_json(value: object) -> None:
    """Print a value as JSON in ASCII: what cannot be seen is escaped, and still the same text."""
    click.echo(json.dumps(value, indent=2))


def say(text: str, *, dim: bool = False, error: bool = False) -> None:
    """Print a line to stdout, or to stderr; dim where the terminal can."""
    click.echo(click.style(visible(text), dim=True) if dim else visible(text), err=error)


def note(text: str, *, mark: str = "note: ") -> None:
    """Tell something beside the answers, on stderr."""
    say(f"{mark}{text}", dim=True, error=True)


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
            task, description=escape(visible(what)), completed=done, total=of or None
        )


def escape(text: str) -> str:
    """Return `text` so that rich does not read markup in it."""
    return text.replace("[", "\\[")


def citation_line(citation: Citation) -> str:
    """Return a citation as a reader looks it up."""
    return f"[{citation.key}] {citation.place}"


def conflict_line(conflict: Conflict) -> str:
    """Return two values of one thing, each with its document, the document's date and its key."""
    mine = _dated(conflict.doc_id, conflict.date)
    theirs = _dated(conflict.other_doc_id, conflict.other_date)
    return (
        f"conflict: {conflict.value} in {mine} [{conflict.key}], "
        f"{conflict.other_value} in {theirs} [{conflict.other_key}]"
    )


def _dated(doc_id: str, date: str) -> str:
    return f"{doc_id} ({date or 'no date'})"


def result_text(result: ResearchResult) -> str:
    """Return an answer with its citations and quotes, as plain text."""
    lines = [result.answer]
    if result.citations:
        lines.append("")
    for citation in result.citations:
        quote = " ".join(citation.quote.split())
        lines += [citation_line(citation), f'     "{quote}"']
    for conflict in result.conflicts:
        lines += [conflict_line(conflict), f'     "{conflict.other_quote}"']
    lines += [*lacking_lines(result), *filter(None, [marks_line(result)])]
    return "\n".join(lines)
