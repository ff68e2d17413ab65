"""The indexes that are open in this process, with their conversations."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import sha256
from threading import Lock

from research_agent.assembly.connection import Connection, connect
from research_agent.assembly.sessions import session_place
from research_agent.closeable import Closing
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.conversation.contextualize import contextualize
from research_agent.errors import SessionLockedError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.chat.conversation import Opened
from research_agent.interfaces.serve.bodies import ChatInputs
from research_agent.settings import Settings
from research_agent.stopping import Stop, stopping
from research_agent.types.conversation import Turn
from research_agent.types.events import Event, Finished
from research_agent.types.limits import Limits
from research_agent.types.scope import check_scope, scope_of

Turns = tuple[Turn, ...]


class Served(Closing):
    """One index with its agent; threads may share it."""

    def __init__(self, location: str, settings: Settings) -> None:
        """Open it; raises IndexingError, ConfigError, ModelError."""
        self.location, self._prompts = location, load_prompts()
        self.connection: Connection = connect(location, settings, os.environ)
        ports, fitted = self.connection.ports, self.connection.settings
        self.agent = ResearchAgent(ports, fitted, self._prompts, on_close=self.connection.close)

    def chat(self, session: str, asked: ChatInputs, *, stop: Stop) -> Iterator[Event]:
        """Ask in a conversation that lasts; raises SessionLockedError, SessionError.

        Who holds a session is not told: clients need not know the server's processes.
        """
        check_scope(scope_of(asked.scope), self.connection.ports.documents)
        with self._sessions() as talks, ExitStack() as stack:
            try:
                talk = talks.conversation(session, self.location, stack)
            except SessionLockedError as error:
                raise SessionLockedError(
                    "the session is answering another question",
                    hint="Wait for its answer, or name another session.",
                ) from error
            talk.preset = asked.preset or ""
            yield from talk.ask(asked.question, stop=stop, limits=asked.scope, rejected={})

    def after(self, turns: Turns, text: str, *, limits: Limits, stop: Stop) -> Iterator[Event]:
        """Ask what `text` means after `turns` that the client remembers."""
        run = RunContext(self.connection.ports, self.connection.settings, self._prompts)
        with stopping(stop):
            asked = contextualize(text, turns, context=run.with_all_left(()))
        for event in self.agent.stream(asked.question, limits=limits, stop=stop):
            if isinstance(event, Finished):
                usage = event.result.usage.and_calls(asked.calls)
                yield replace(event, result=replace(event.result, usage=usage))
            else:
                yield event

    def expire(self) -> None:
        """Delete the conversations that nobody has used for long; raises SessionError."""
        with self._sessions() as talks:
            talks.expire()

    @contextmanager
    def _sessions(self) -> Iterator[Opened]:
        place = session_place(self.connection.settings.sessions, os.environ)
        with place.table() as table:
            yield Opened(place, table, self.connection, self._prompts, interactive=False)

    def close(self) -> None:
        """Wait for its threads, and close it."""
        self.agent.close()


class Shelf(Closing):
    """Opens each index once, when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, Lock()
        self._opening: dict[str, Lock] = {}
        self._served: dict[str, Served] = {}

    def served(self, location: str) -> Served:
        """Return an index; raises what opening it raises, and tries again the next time."""
        with self._lock:
            opening = self._opening.setdefault(location, Lock())
        with opening:  # (one that opens slowly keeps nobody from the others)
            if location not in self._served:
                served = Served(location, self._settings)
                self._served[location] = served
                served.expire()
            return self._served[location]

    def close(self) -> None:
        """Close all of them."""
        for served in self._served.values():
            served.close()


def session_name(location: str, owner: str, session: str) -> str:
    """Return a session's name in the table, which nobody else's session has.

    >>> session_name("default", "acme", "kitchen") == session_name("default", "other", "kitchen")
    False
    """
    mine = sha256(f"{location}\0{owner}".encode("utf-8", "surrogateescape")).hexdigest()[:20]
    return f"serve-{mine}-{session}"
