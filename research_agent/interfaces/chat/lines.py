"""Lines that a person types, or that come through a pipe."""

import sys
from contextlib import suppress

from research_agent.interfaces.cli.interrupt import STATUS
from research_agent.interfaces.cli.terminal import say


class Lines:
    """The lines of stdin, one by one; in a terminal with a prompt and a history of its own."""

    def __init__(self) -> None:
        """Look what stdin is."""
        self.typed = sys.stdin.isatty()
        self.status = 0
        """The exit status where they have ended."""
        if self.typed:
            with suppress(ImportError):  # (a Python without it)
                import readline  # noqa: F401 (line editing comes with the import)

    def next(self, prompt: str) -> str | None:
        """Return the next line, None at the end, or where Ctrl-C was pressed twice."""
        pressed = False
        while True:
            try:
                return input(prompt) if self.typed else self._piped()
            except EOFError:
                return None
            except KeyboardInterrupt:
                if pressed or not self.typed:
                    self.status = STATUS
                    return None
                pressed = True
                say("\nCtrl-C again leaves; so does /quit", dim=True, error=True)

    def _piped(self) -> str | None:
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
