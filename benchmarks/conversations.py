"""Conversations of four turns: a value, the same of a sibling, a comparison, no answer.

Every conversation goes through the product's chat graph. Replies are recorded one by one, so an
interrupted run goes on where it stopped; without `live` everything is replayed.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from benchmarks import answers, conversation_documents
from benchmarks.conversation_scoring import cites_gold, outcome
from benchmarks.intervals import wilson
from benchmarks.keeping import keep
from benchmarks.options import CACHE, LIVE, MINUTES, MODEL
from benchmarks.places import RECORDINGS, RESULTS, ROOT
from benchmarks.presets import PRESETS, Chosen
from benchmarks.questions import Row, read
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings, Replaying, Trial
from benchmarks.tables import markdown
from graphs.chat import ChatInput, ChatState, build_chat_graph
from research_agent.assembly.connection import connect
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE
from research_agent.config import load_prompts
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types.conversation import Turn

CONVERSATIONS = ROOT / "benchmarks" / "questions" / "conversations.jsonl"
KINDS = ("value", "sibling", "comparison", "unanswerable")
KIND_HEADS = ("turn", "asked", "right (95 %)", "wrong", "refused", "gold cited", "completed")
HEADS = (*KIND_HEADS, "calls", "tokens", "seconds")
TURN_HEADS = ("conversation", "turn", "typed", "asked", "answer", "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One turn, and what became of it."""

    cid: str
    kind: str
    typed: str
    question: str
    """As it was asked."""
    how: str
    """How the typed question was understood; see `core.conversation.Understanding`."""
    reason: str
    """Why it could not be completed."""
    queries: tuple[str, ...]
    status: str
    answer: str
    outcome: str
    gold_cited: bool
    rounds: int
    calls: int
    tokens: int
    """Read and written."""
    seconds: float
    """Of the model's calls, when they were recorded."""
    warnings: tuple[str, ...]


@click.command("conversations")
@MODEL
@click.option("--preset", default="local", type=click.Choice(PRESETS))
@LIVE
@MINUTES
@CACHE
def conversations_command(
    *, weights: str, preset: str, live: bool, minutes: float, cache: str
) -> None:
    """Hold ten conversations and score each turn; fewer turns than before are not kept."""
    chosen = Chosen(preset=preset, weights=weights, live=live, minutes=minutes)
    with TemporaryDirectory() as temporary:
        asked = hold(chosen, Path(cache or temporary).absolute())
    text = f"{table(asked)}\n\n{told(asked)}"
    name = f"conversations-{weights}-{preset}"
    rows = RESULTS / f"{name}.jsonl"
    if len(asked) >= (len(read(rows)) if rows.exists() else 1):
        keep(name, map(asdict, asked), text)
    print(text)


def hold(chosen: Chosen, cache: Path) -> list[Asked]:
    """Return the turns of all conversations that are recorded, or can be held in time."""
    settings = chosen.settings
    index = conversation_documents.index(cache, settings)
    RECORDINGS.mkdir(exist_ok=True)
    kept = Recordings(RECORDINGS / f"conversations-{chosen.weights}.jsonl", chosen.weights)
    until = time.monotonic() + 60 * chosen.minutes
    beside = 10 if chosen.live and chosen.weights == answers.STRONG else 1
    with connect(index, settings, os.environ) as connection:

        def held(conversation: Row) -> list[Asked]:
            replaying = Replaying(kept, chosen.weights, connection.ports if chosen.live else None)
            warm = SAMPLE_TEMPERATURE
            ports, chat, _ = replaying.within(connection.ports, warm, Trial())
            return list(turns(conversation, ports, chat, settings, until))

        with ThreadPoolExecutor(beside) as threads:
            rows = threads.map(held, read(CONVERSATIONS))
            return [asked for of in rows for asked in of]


def turns(
    conversation: Row, ports: Ports, chat: RecordedChat, settings: Settings, until: float
) -> Iterator[Asked]:
    """Yield the turns of one conversation, up to the first that is not recorded or too late."""
    graph = build_chat_graph(ports, settings, load_prompts(), checkpointer=InMemorySaver())
    for key in conversation["turns"]:
        if time.monotonic() > until:
            return
        before, said = chat.seconds, ChatInput(messages=[HumanMessage(key["text"])])
        try:
            state = graph.invoke(said, {"configurable": {"thread_id": conversation["cid"]}})
        except MissingRecordingError:
            return
        turn = ChatState.model_validate(state).turns[-1]
        yield asked_of(conversation["cid"], key, turn, chat.seconds - before)


def asked_of(cid: str, key: Row, turn: Turn, seconds: float) -> Asked:
    """Return what is kept of a turn with the key `key`."""
    return Asked(
        cid=cid,
        kind=key["kind"],
        typed=turn.text,
        question=turn.question,
        how=turn.how,
        reason=turn.reason,
        queries=turn.queries,
        status=turn.status,
        answer=turn.answer,
        outcome=outcome(key, turn.status, turn.answer),
        gold_cited=cites_gold(key, turn),
        rounds=turn.rounds,
        calls=turn.llm_calls,
        tokens=turn.prompt_tokens + turn.completion_tokens,
        seconds=round(seconds, 2),
        warnings=turn.warnings,
    )


def table(asked: Sequence[Asked]) -> str:
    """Return a row for each kind of turn; calls, tokens and seconds are medians."""
    found = ((kind, [one for one in asked if one.kind == kind]) for kind in KINDS)
    return markdown(HEADS, [_line(kind, of) for kind, of in found if of])


def _line(kind: str, of: Sequence[Asked]) -> list[str]:
    counts = Counter(one.outcome for one in of)
    share = wilson(counts["right"], len(of))
    known = kind in ("value", "sibling")
    return [
        kind,
        str(len(of)),
        f"{counts['right']} ({100 * share.low:.0f} to {100 * share.high:.0f} %)",
        str(counts["wrong"]),
        str(sum(one.status == "refused" for one in of)),
        str(sum(one.gold_cited for one in of)) if known else "-",
        str(sum(one.how == "model" for one in of)),
        f"{median(one.calls for one in of):g}",
        f"{median(one.tokens for one in of):.0f}",
        f"{median(one.seconds for one in of):.0f}",
    ]


def told(asked: Sequence[Asked]) -> str:
    """Return a row for each turn: as it was typed, as it was asked, and what was answered."""
    rows = [
        (one.cid, one.kind, one.typed, f"{one.question} ({one.how})", one.answer, one.outcome)
        for one in asked
    ]
    return markdown(TURN_HEADS, [[" ".join(cell.split()) for cell in row] for row in rows])
