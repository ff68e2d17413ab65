"""The command `chat`."""

import os
from contextlib import ExitStack
from typing import cast

import click

from research_agent.assembly.sessions import session_place
from research_agent.config import load_prompts
from research_agent.conversation.sessions import check_name
from research_agent.interfaces import own_graphs
from research_agent.interfaces.chat.conversation import Opened
from research_agent.interfaces.chat.lines import lines_of
from research_agent.interfaces.chat.repl import COMMANDS, Repl
from research_agent.interfaces.cli import options
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.interfaces.cli.options import Limits, index_is_named, scoped
from research_agent.interfaces.cli.process import exits, opened, start
from research_agent.interfaces.cli.terminal import Steps, note
from research_agent.types.scope import check_scope, scope_of


@click.command("chat")
@click.option("--session", default="default", metavar="NAME", help="The conversation's name.")
@options.INDEX
@options.DOCS
@options.ASKING
@options.ROUNDS
@options.QUIET
@options.VERBOSE
@click.option(
    "--clarify/--no-clarify",
    default=None,
    help="Ask back when a question is ambiguous. Default: only in a terminal.",
)
@options.OFFLINE
@exits
@scoped
def chat_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    *,
    session: str,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    quiet: bool,
    verbose: bool,
    clarify: bool | None,
) -> int:
    """Hold a conversation about the indexed documents.

    A session is saved and can be continued. It keeps its index and its scope unless options name
    others.
    """
    name = check_name(session)
    wanted = index if index_is_named(docs) else None
    settings = start(config, tells_preset=verbose, quiet=quiet)
    place = session_place(settings.sessions, os.environ)
    if docs:
        wanted = index_for_docs(docs, settings, verbose=verbose, quiet=quiet)
    with ExitStack() as stack:
        table = stack.enter_context(place.table())
        known = table.get(name)
        where = wanted or (known.index if known else "default")
        if known and known.index != where:
            note(f"this session began over the index {known.index}; now it asks {where}")
        connection = stack.enter_context(opened(where, settings))
        lines = lines_of(place.folder, COMMANDS)
        asks_back = lines.typed if clarify is None else clarify
        check_scope(scope_of(limits), connection.ports.documents)
        talks = Opened(place, table, connection, load_prompts(), asks_back)
        for gone in talks.expire(but=name):
            note(f"deleted, not used for long: session {gone}")
        steps = Steps(verbose=verbose, quiet=quiet)
        talk = talks.conversation(name, where, stack)
        return Repl(
            talks, talk, lines, limits=cast("own_graphs.chat.Limits", limits), steps=steps
        ).run()
