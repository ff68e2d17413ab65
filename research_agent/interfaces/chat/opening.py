"""What `research-agent chat` begins with."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, cast

from research_agent.assembly.connection import connect
from research_agent.assembly.sessions import session_place
from research_agent.config import load_prompts
from research_agent.conversation.sessions import check_name
from research_agent.interfaces.chat.conversation import Opened
from research_agent.interfaces.chat.lines import Lines
from research_agent.interfaces.chat.listing import expire
from research_agent.interfaces.chat.repl import converse
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.interfaces.cli.scope import Limits
from research_agent.interfaces.cli.starting import start
from research_agent.interfaces.cli.terminal import note, progress_bar
from research_agent.types.scope import Scope, check_scope

if TYPE_CHECKING:
    from graphs.chat_state import Limits as Kept


def chat(  # noqa: PLR0913 (one argument an option)
    *,
    session: str,
    index: str | None,
    config: str | None,
    docs: Sequence[str],
    limits: Limits,
    steps: bool,
    clarify: bool | None,
) -> int:
    """Hold a conversation over an index; `clarify` None: ask back in a terminal only.

    A session goes on over the index that it began with, unless another one is named, and within the
    scope that it had, unless `limits` name one.
    """
    name, lines = check_name(session), Lines()
    settings = start(config, tells_preset=True)
    place = session_place(settings.sessions, os.environ)
    if docs:
        index = index_for_docs(docs, settings, quiet=not steps)
    with ExitStack() as stack:
        table = stack.enter_context(place.table())
        known = table.get(name)
        where = index or (known.index if known else "default")
        if known and known.index != where:
            note(f"this session began over the index {known.index}; now it asks {where}")
        show_progress = stack.enter_context(progress_bar())
        joining = partial(show_progress, "joining the weights")
        connection = stack.enter_context(
            connect(where, settings, os.environ, on_bytes=joining, on_note=note)
        )
        asks_back = lines.typed if clarify is None else clarify
        check_scope(Scope(**limits), connection.ports.documents)
        opened = Opened(place, table, connection, load_prompts(), asks_back)
        for gone in expire(opened, settings.sessions.retention_days, name):
            note(f"deleted, not used for long: session {gone}")
        return converse(opened, name, where, lines, limits=_plain(limits), steps=steps)


def _plain(limits: Limits) -> "Kept":
    """Return what limits name, as a conversation keeps it."""
    named = {
        key: list(value) if isinstance(value, tuple) else value for key, value in limits.items()
    }
    return cast("Kept", {key: value for key, value in named.items() if value})
