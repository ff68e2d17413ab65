"""Conversations that are killed and resumed."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Unpack

from research_agent.assembly.connection import Connection
from research_agent.assembly.sessions import SessionPlace
from research_agent.interfaces.chat.conversation import Conversation, Opened
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.ports import CallOptions
from research_agent.settings import FilterSettings, VerifySettings
from research_agent.stopping import Stop
from research_agent.types import Completion, Message
from tests.fakes import GOOD, PROMPTS, QUESTION, REFINING, ports, says
from tests.graphs.talking import SMALL, SMALLER
from tests.torture.harness import Killed, Part, fail, forked, holds
from tests.torture.shim import KILL_AFTER, KILL_BEFORE, KILL_HALF, arm, seen

WAYS = (KILL_BEFORE, KILL_HALF, KILL_AFTER)


@dataclass
class Counting:
    """A model that says the same to the same prompt, and notes each call when it is made."""

    log: Path

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        self.note("made", role, messages, asked)
        schema = json.dumps(asked.get("schema") or {})
        if asked.get("tools"):
            return says("done")
        if '"kind"' in schema:
            return says('{"kind": "keep", "queries": []}')
        if '"question"' in schema:
            return says(json.dumps({"question": SMALLER}))
        if role == "filter":
            return says("k1 -> KEEP\nk2 -> KEEP\nk3 -> KEEP")
        if role == "answer":
            return says(SMALL if SMALLER in messages[-1].text else GOOD)
        return says("yes")

    def note(self, what: str, role: str, messages: Sequence[Message], asked: Any) -> None:  # noqa: ANN401
        text = repr(
            (role, [m.text for m in messages], asked.get("max_tokens"), asked.get("schema"))
        )
        line = f"{what} {role} {sha256(text.encode()).hexdigest()}\n"
        with self.log.open("a", encoding="utf-8") as stream:
            stream.write(line)


@dataclass
class Finishing:
    """Stands before the cache and notes each call that is finished: its reply is kept."""

    inner: CachedChat
    counting: Counting

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        reply = self.inner.complete(role, messages, **asked)
        self.counting.note("finished", role, messages, asked)
        return reply


TALK = (QUESTION, "and for ML-KEM-512?")
SETTINGS = replace(REFINING, filter=FilterSettings(mode="llm"), verify=VerifySettings(judge="all"))


def talk(home: Path, log: Path, wanted: int) -> list[tuple[str, str]]:
    """Go on with a conversation until it has its turns; return questions and answers."""
    with ExitStack() as stack:
        replies = stack.enter_context(
            closing(SqliteReplies(home / "replies.sqlite3", max_mb=9, max_days=9))
        )
        model = Finishing(CachedChat(Counting(log), replies, "fake"), Counting(log))
        given = replace(ports(model, model, verifier=model, filterer=model))  # type: ignore[arg-type]  # (they are ChatModels)
        place = SessionPlace(home / "sessions")
        table = stack.enter_context(place.table())
        none: Callable[..., Any] = lambda: None  # noqa: E731 (nothing to close)
        opened = Opened(place, table, Connection(given, SETTINGS, none, none), PROMPTS, False)  # noqa: FBT003 (its field)
        conversation = opened.conversation("default", "index", stack)
        kept = len(conversation.turns())
        done = log.read_text().count("turn ") if log.exists() else 0
        holds(kept >= done, f"{done} turns were done, {kept} are kept", "lost")
        if conversation.pending().text:
            _ended(conversation.resume(stop=Stop()), log)
        while (turn := len(conversation.turns())) < wanted:
            _ended(conversation.ask(TALK[turn], stop=Stop(), limits={}, rejected={}), log)
        return said(conversation)


def said(conversation: Conversation) -> list[tuple[str, str]]:
    return [(turn.text, turn.answer) for turn in conversation.turns()]


def _ended(events: Any, log: Path) -> None:  # noqa: ANN401 (an iterator of events)
    for _ in events:
        pass
    with log.open("a", encoding="utf-8") as stream:
        stream.write("turn done -\n")


@dataclass
class Undisturbed:
    """A conversation that nobody killed."""

    changes: int
    said: list[tuple[str, str]]
    calls: int


def conversation(folder: Path) -> Undisturbed:
    home, log = folder / "home", folder / "log"
    home.mkdir()
    arm(home, 0, 0)
    told, changes = talk(home, log, len(TALK)), seen()
    calls = log.read_text().count("made ")
    assert 2 == len(told)
    assert calls > 6
    return Undisturbed(changes, told, calls)


def killed(shared: Undisturbed, number: int, random: Random, folder: Path) -> str:
    """Kill a conversation once or more often; resumed, it ends as the undisturbed one."""
    home, log, kills = folder / "home", folder / "log", 0
    home.mkdir()
    at = 1 + (number * shared.changes // 200 if not kills else 0)

    def work(at: int, way: int) -> list[tuple[str, str]]:
        arm(home, at, way)
        return talk(home, log, len(TALK))

    for _ in range(random.choice((1, 1, 2, 3))):
        place, way = at, random.choice(WAYS)
        kills += isinstance(forked(partial(work, place, way)), Killed)
        at = random.randint(1, shared.changes // 2)
    told = forked(lambda: talk(home, log, len(TALK)))
    holds(told == shared.said, f"it says {told}", "lost")
    finished: set[str] = set()
    for line in log.read_text().splitlines():
        what, role, key = line.split()
        if what == "made" and key in finished:
            fail("broken", f"a finished call for {role} was made again")
        if what == "finished":
            finished.add(key)
    return f"killed {kills} times" if kills else "ended before"


PARTS = (
    Part(
        "conversations",
        "conversations of two turns killed at a change of the disk and resumed",
        200,
        4,
        conversation,
        killed,
        by="preloaded shim",
    ),
)
