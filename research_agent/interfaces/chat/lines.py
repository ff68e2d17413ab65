"""What a person types: lines of a pipe, or of a terminal with history and completion."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from research_agent import private_files
from research_agent.errors import SessionError
from research_agent.interfaces.cli.process import INTERRUPTED
from research_agent.interfaces.cli.terminal import say

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings

HISTORY = "typed.txt"
"""The file beside the sessions with what was typed."""


class Lines:
    """The lines of a pipe, or those that are typed into `session`."""

    status = 0
    """The exit status where they have ended."""

    def __init__(self, session: "PromptSession[str] | None" = None) -> None:
        self._session = session
        self.typed = session is not None
        """Whether a person types them."""

    def next(self, prompt: str) -> str | None:
        """Return the next line, None at the end, or where Ctrl-C was pressed twice."""
        pressed = False
        while True:
            try:
                if self._session:
                    return self._session.prompt(prompt)
                line = sys.stdin.readline()
                return line.rstrip("\n") if line else None
            except EOFError:
                return None
            except KeyboardInterrupt:
                if pressed or not self.typed:
                    self.status = INTERRUPTED
                    return None
                pressed = True
                say("\nCtrl-C again leaves; so does /quit", dim=True, error=True)


def lines_of(folder: Path, commands: Sequence[str]) -> Lines:
    """Return the lines of stdin; those typed in a terminal are kept. Raises SessionError."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Lines()
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    file = folder / HISTORY
    try:
        private_files.make_folder(folder)
        private_files.touch(file)
    except OSError as error:
        problem = f"{file} cannot be written: {error.strerror or error}"
        raise SessionError(problem, hint="See sessions.path.") from error
    words = WordCompleter(commands, sentence=True)
    history = FileHistory(str(file))
    return Lines(PromptSession(history=history, completer=words, key_bindings=keys()))


def keys() -> "KeyBindings":
    """Return the keys of a terminal: Alt-Enter begins another line."""
    from prompt_toolkit.key_binding import KeyBindings

    made = KeyBindings()
    made.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
    return made
