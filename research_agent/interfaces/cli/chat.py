"""`research-agent chat` on the command line."""

import click

from research_agent.interfaces.cli.errors import told
from research_agent.interfaces.cli.options import (
    CONFIG,
    DOCS,
    INDEX,
    OFFLINE,
    PRESET,
    ROUNDS,
    index_is_named,
)
from research_agent.interfaces.cli.scope import Limits, scoped


@click.command("chat")
@click.option(
    "--session",
    default="default",
    show_default=True,
    metavar="NAME",
    help="Which conversation to begin or to go on with.",
)
@INDEX
@CONFIG
@PRESET
@ROUNDS
@DOCS
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option(
    "--clarify/--no-clarify",
    default=None,
    help="Ask back where a question is ambiguous; else in a terminal only.",
)
@OFFLINE
@told
@scoped
def chat_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    *,
    session: str,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    quiet: bool,
    clarify: bool | None,
) -> int:
    """Hold a conversation over the indexed documents, which lasts."""
    from research_agent.interfaces.chat import opening

    named = index_is_named(docs)
    return opening.chat(
        session=session,
        index=index if named else None,
        config=config,
        docs=docs,
        limits=limits,
        steps=not quiet,
        clarify=clarify,
    )
