"""How things look in a terminal: no colour where it is none, no hidden characters anywhere."""

import json
import os
import sys
from typing import TextIO

import click

from research_agent.text.visible import visible


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
