"""What goes wrong in a command is told in words, and the exit status says what kind it was."""

import os
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec

import click

from research_agent.errors import (
    ConfigError,
    QuestionError,
    ResearchAgentError,
    ToolInputError,
)

P = ParamSpec("P")


def told(command: Callable[P, int]) -> Callable[P, None]:
    """Run a command, tell its errors in words, and exit with its status."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        raise SystemExit(_status(partial(command, *args, **kwargs)))

    return run


def _status(command: Callable[[], int]) -> int:
    try:
        return command()
    except ResearchAgentError as error:
        tell_error(str(error), error.hint)
        return 2 if isinstance(error, ConfigError | QuestionError | ToolInputError) else 1
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:  # (the reader of our output has gone)
        sys.stderr.close()
        return 0
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:  # (a fault of ours is told in words too)
        if os.environ.get("RESEARCH_AGENT_DEBUG"):
            raise
        what = f"unexpected {type(error).__name__}: {error}"
        tell_error(what, "RESEARCH_AGENT_DEBUG=1 shows where; please report it")
        return 1


def tell_error(message: str, hint: str) -> None:
    """Tell on stderr what went wrong, and what to do."""
    from research_agent.interfaces.cli.terminal import visible

    click.echo(f"error: {visible(message)}", err=True)
    if hint:
        click.echo(f"hint: {visible(hint)}", err=True)
