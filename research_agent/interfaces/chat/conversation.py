"""One conversation: its graph on its thread, read and continued."""

from collections.abc import Generator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.types import Command

from research_agent.answering.draft_redaction import public_result
from research_agent.assembly.connection import Connection
from research_agent.assembly.sessions import SessionPlace, SessionTable
from research_agent.conversation.sessions import SessionInfo, check_format
from research_agent.errors import SessionError, SessionLockedError
from research_agent.interfaces.events import events
from research_agent.interfaces.own_graphs import chat, checkpoints, context, state
from research_agent.interfaces.report.recording import RunRecord
from research_agent.prompts import Prompts
from research_agent.stopping import Stop
from research_agent.types.conversation import Choices, Turn
from research_agent.types.events import Event, Finished, Watching
from research_agent.types.result import ResearchResult


@dataclass(frozen=True, slots=True)
class Pending:
    """What a turn that has not ended waits for."""

    text: str = ""
    """The question; empty where no turn is open."""
    choices: Choices = field(default_factory=Choices)
    """What the person has to choose between, where that is what it waits for."""


class Conversation:
    """A thread of the chat graph."""

    def __init__(
        self, graph: "chat.Chat", saver: "checkpoints.Saver", table: SessionTable, info: SessionInfo
    ) -> None:
        self._graph, self._saver, self._table = graph, saver, table
        self.info = info
        self._config: Any = {"configurable": {"thread_id": info.thread}}
        self.last: Finished | None = None
        """The last answer of this process, with all that was found."""
        self.record = RunRecord()
        self.preset = ""
        """Which stages act in the next answers; empty: as configured."""

    @property
    def name(self) -> str:
        """What the session is called now; it may have been renamed since it was opened."""
        names = {one.thread: one.name for one in self._table.all()}
        return names.get(self.info.thread, self.info.name)

    def state(self) -> "chat.ChatState":
        """Return all that is kept; raises SessionError where it cannot be read."""
        return self._read()[0]

    def turns(self) -> tuple[Turn, ...]:
        """Return the turns that were answered, the oldest first."""
        return self.state().turns

    def pending(self) -> Pending:
        """Return what an interrupted turn waits for; nothing where the last one has ended."""
        found, waiting, interrupted = self._read()
        if not waiting:
            return Pending()
        return Pending(found.said, found.choices if interrupted else Choices())

    def ask(
        self, text: str, *, stop: Stop, limits: "chat.Limits", rejected: dict[str, str]
    ) -> Generator[Event, None, None]:
        """Ask a question; yields what happens, and ends early where the person has to choose."""
        asked = chat.ChatInput(messages=[HumanMessage(text)], scope=limits, rejected=rejected)
        return self._run(asked, stop)

    def choose(self, choice: str, *, stop: Stop) -> Generator[Event, None, None]:
        """Go on with what the person has chosen."""
        return self._run(Command(resume=choice), stop)

    def resume(self, *, stop: Stop) -> Generator[Event, None, None]:
        """Go on with a turn that has not ended; one of an older version's graph begins anew."""
        found = self.state()
        can_go_on = bool(self._graph.get_state(self._config).tasks)
        again = chat.ChatInput(messages=found.messages[-1:])
        return self._run(None if can_go_on else again, stop)

    def limit(self, limits: "chat.Limits", rejected: dict[str, str]) -> None:
        """Keep what the next questions may read; one that waits for an answer is asked anew."""
        self._settle()
        kept = {"scope": limits, "rejected": rejected}
        self._graph.update_state(self._config, kept, as_node="ask")
        checkpoints.prune(self._saver, self.info.thread)

    def result(self, turn: int) -> ResearchResult:
        """Return the whole result of a turn (from 0); raises SessionError."""
        return kept_result(self._table.result(self.info.thread, turn))

    def _run(self, asked: Any, stop: Stop) -> Generator[Event, None, None]:  # noqa: ANN401 (an input or a command)
        self.last, self.record = None, RunRecord()
        if asked is not None:
            self._settle()
        overrides = context.ResearchContext(preset=self.preset) if self.preset else None
        options = {"context": overrides, "stream_mode": "custom", "durability": "sync"}
        run: Any = partial(self._graph.stream, asked, self._config, **options)
        for event in events(run, stop=stop, watching=Watching(on_step=(self.record.see,))):
            if isinstance(event, Finished):
                self.last = self._with_all_calls(event)
                yield self.last
            else:
                yield event
        self._keep()

    def _with_all_calls(self, event: Finished) -> Finished:
        """Return the result with the calls that completed the question, as its turn has them."""
        usage = event.result.usage.and_calls(self.state().asked.calls)
        return replace(event, result=replace(event.result, usage=usage))

    def _settle(self) -> None:
        """Keep an answered turn without a checkpoint, as a kill leaves it: LangGraph drops it."""
        snapshot = self._graph.get_state(self._config)
        messages = snapshot.values.get("messages")
        if snapshot.tasks and not snapshot.next and messages and messages[-1].type == "ai":
            self._graph.invoke(None, self._config, durability="sync")

    def _keep(self) -> None:
        turns = self.turns()
        if self.last is not None:
            whole = state.RESULT.dump_json(public_result(self.last.result)).decode()
            self._table.keep_result(self.info.thread, len(turns) - 1, whole)
            checkpoints.prune(self._saver, self.info.thread)
        self._table.used(self.info.thread, len(turns))

    def _read(self) -> "tuple[chat.ChatState, bool, bool]":
        try:
            snapshot = self._graph.get_state(self._config)
            found = chat.ChatState.model_validate(snapshot.values or {"messages": []})
            if not all(turn.question for turn in found.turns):  # (a type that is not known here)
                raise ValueError("a turn has no question")  # noqa: TRY301 (told as the others are)
        except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
            first = str(error).splitlines()[0][:200]
            raise SessionError(
                f"the session {self.info.name} holds what this version cannot read ({first}); "
                "nothing was changed",
                hint="Begin another one: research-agent chat --session NAME",
            ) from error
        waits = any(task.interrupts for task in snapshot.tasks)
        unanswered = bool(found.messages) and found.messages[-1].type == "human"
        return found, bool(snapshot.next) or unanswered, waits


def kept_result(text: str) -> ResearchResult:
    """Read a result that was kept as JSON; raises SessionError for what cannot be read."""
    try:
        result: ResearchResult = state.RESULT.validate_json(text)
    except ValueError as error:
        raise SessionError(
            "another version gave this answer, and kept its result differently",
            hint="Ask the question again.",
        ) from error
    return result


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything that conversations over one index share."""

    place: SessionPlace
    table: SessionTable
    connection: Connection
    prompts: Prompts
    interactive: bool

    def conversation(self, name: str, index: str, stack: ExitStack) -> Conversation:
        """Open a session for this process alone, until `stack` is closed."""
        info = self.table.begin(name, index)
        check_format(info)
        stack.enter_context(self.table.held(info))
        saver = stack.enter_context(self.saver())
        graph = chat.build_chat_graph(
            self.connection.ports,
            self.connection.settings,
            self.prompts,
            checkpointer=saver,
            interactive=self.interactive,
        )
        return Conversation(graph, saver, self.table, info)

    def saver(self) -> Any:  # noqa: ANN401 (a context manager of one of two kinds)
        """Open what keeps the checkpoints."""
        if self.place.postgres:
            return checkpoints.postgres_saver(self.place.postgres)
        return checkpoints.sqlite_saver(self.place.file)

    def delete(self, session: SessionInfo) -> None:
        """Delete a session that no process has open; raises SessionLockedError."""
        with self.table.held(session), self.saver() as saver:
            saver.delete_thread(session.thread)
            self.table.delete(session.thread)

    def expire(self, *, but: str = "") -> list[str]:
        """Delete the sessions unused for `sessions.retention_days`; return their names.

        `but`, and those that another process has open, stay.
        """
        days, gone = self.connection.settings.sessions.retention_days, []
        for session in self.table.unused(days) if days else ():
            with suppress(SessionLockedError):
                if session.name != but:
                    self.delete(session)
                    gone.append(session.name)
        return gone
