"""Conversations in a real PostgreSQL server, which the test starts and ends."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module

import pytest
from langchain_core.messages import HumanMessage

from graphs.chat import ChatInput, ChatState, build_chat_graph
from graphs.checkpoints import postgres_saver, prune
from research_agent.assembly.sessions import session_place
from research_agent.conversation.adapters.sessions import SessionTable, postgres_table
from research_agent.errors import ConfigError, SessionError, SessionLockedError
from research_agent.settings import SessionSettings
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.postgres import postgres


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start a server that listens on a socket of its own alone, and end it."""
    with postgres() as started:
        yield started


@pytest.fixture
def table(address: str) -> Iterator[SessionTable]:
    with postgres_table(address) as opened:
        yield opened


def test_turns_last_and_old_checkpoints_go(address: str) -> None:
    """A second connection goes on with the thread; pruning leaves all that it needs."""
    given = ports(ScriptedChat(says(GOOD)))
    for number in (1, 2, 3):
        with postgres_saver(address) as saver:
            graph = build_chat_graph(given, BYPASSING, PROMPTS, checkpointer=saver)
            asked = ChatInput(messages=[HumanMessage(QUESTION)])
            state = ChatState.model_validate(
                graph.invoke(asked, {"configurable": {"thread_id": "t"}}, durability="sync")
            )
            prune(saver, "t")
        with import_module("psycopg").connect(address) as database:
            counts = [
                database.execute(f"select count(*) from {name}").fetchone()  # noqa: S608 (our own names)
                for name in ("checkpoints", "checkpoint_blobs")
            ]

        assert number == len(state.turns)
        assert 2 * number == len(state.messages)
        assert (1,) == counts[0]
        assert counts[1]
        assert counts[1][0] < 20


def test_tables_are_made_once_where_many_begin_at_once() -> None:
    """The first conversations of a new database: each finds the tables, or waits for them."""

    def begin(_: int) -> int:
        with postgres_saver(new), postgres_table(new) as table:
            return len(table.all())

    with postgres() as new, ThreadPoolExecutor(8) as pool:
        assert [0] * 8 == [*pool.map(begin, range(8))]


def test_sessions_are_kept_renamed_and_deleted(table: SessionTable) -> None:
    """The list works as in SQLite: names, turns, results."""
    session = table.begin("kitchen", "default")
    assert session == table.begin("kitchen", "other")
    table.used(session.thread, 3)
    table.keep_result(session.thread, 2, "{}")
    table.keep_result(session.thread, 2, '{"a": 1}')
    table.rename("kitchen", "bread")

    found = table.get("bread")
    assert found
    assert (session.thread, 3) == (found.thread, found.turns)
    assert '{"a": 1}' == table.result(session.thread, 2)
    with pytest.raises(SessionError, match="there is a session bread already"):
        table.rename("bread", "bread")
    table.delete(session.thread)
    assert (None, "") == (table.get("bread"), table.result(session.thread, 2))


def test_one_process_has_a_session(address: str, table: SessionTable) -> None:
    """The second is told who has it; it is free when the first connection has gone."""
    session = table.begin("shared", "default")
    with postgres_table(address) as other, ExitStack() as held:
        held.enter_context(other.held(session))
        with pytest.raises(SessionLockedError, match=f"open in process {os.getpid()} on "):
            table.held(session).__enter__()
        held.close()
        with table.held(session):
            pass


def test_address_comes_from_the_environment_and_is_not_told(address: str) -> None:
    """The variable that the settings name holds it; a wrong one is told without its password."""
    settings = SessionSettings(postgres_env="SESSIONS_URL")

    assert address == session_place(settings, {"SESSIONS_URL": address}).postgres
    with pytest.raises(ConfigError, match="the variable SESSIONS_URL is empty"):
        session_place(settings, {})
    with pytest.raises(SessionError) as error:
        postgres_table(f"{address} user=nobody password=secret dbname=none")
    assert "secret" not in str(error.value)
