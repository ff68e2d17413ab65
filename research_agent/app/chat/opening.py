"""What `research-agent chat` begins with."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from research_agent.app.chat.conversation import Opened
from research_agent.app.chat.desk import converse
from research_agent.app.chat.lines import Lines
from research_agent.app.chat.listing import expire
from research_agent.app.indexing import index_for_docs
from research_agent.app.starting import start
from research_agent.app.terminal import note, progress_bar
from research_agent.assembly.connection import connect
from research_agent.assembly.sessions import session_place
from research_agent.config import load_prompts
from research_agent.core.sessions import check_name


def chat(
    *,
    session: str,
    index: str | None,
    config: str | None,
    docs: Sequence[str],
    steps: bool,
    clarify: bool | None,
) -> int:
    """Hold a conversation over an index; `clarify` None: ask back in a terminal only.

    A session goes on over the index that it began with, unless another one is named.
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
        opened = Opened(place, table, connection, load_prompts(), asks_back)
        for gone in expire(opened, settings.sessions.retention_days, name):
            note(f"deleted, not used for long: session {gone}")
        return converse(opened, name, where, lines, steps=steps)
