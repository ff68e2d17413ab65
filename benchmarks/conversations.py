"""Conversations of four turns: a value, the same of a sibling, a comparison, no answer.

Every conversation goes through the product's chat graph. Replies are recorded one by one, so an
interrupted run goes on where it stopped; without `--live` everything is replayed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Literal

import click
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from benchmarks.answers import words_of
from benchmarks.common import (
    QUESTIONS,
    RESULTS,
    Asking,
    Row,
    asks,
    folder,
    keep,
    read,
    table_of,
    told_share,
)
from benchmarks.datasets import MIXED
from benchmarks.drafts import by_words, normal
from benchmarks.presets import PRESETS, settings_of
from benchmarks.recording import MissingRecordingError, RecordedChat, Replaying
from benchmarks.retrieval import opened
from graphs.chat import Chat, ChatInput, ChatState, build_chat_graph
from research_agent.config import load_prompts
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types.conversation import Turn

CONVERSATIONS = QUESTIONS / "conversations.jsonl"
KINDS = ("value", "sibling", "comparison", "unanswerable")
Outcome = Literal["right", "wrong", "refused"]


@click.command("conversations")
@asks
@click.option("--preset", default="local", type=click.Choice(PRESETS))
def conversations_command(*, asking: Asking, preset: str) -> None:
    """Hold ten conversations and score each turn; fewer turns than before are not kept."""
    with folder(asking.cache) as place:
        asked = hold(asking, settings_of(preset, asking.weights), place)
    text = table(asked)
    name = f"conversations-{asking.weights}-{preset}"
    if asked and len(asked) >= len(read(RESULTS / f"{name}.jsonl")):
        keep(name, asked, text)
    print(text)


def hold(asking: Asking, settings: Settings, cache: Path) -> list[Row]:
    """Return the turns of all conversations that are recorded, or can be held in time."""
    with opened(MIXED, cache, settings) as ports:
        replaying = Replaying.of("conversations", asking, ports)

        def held(conversation: Row) -> list[Row]:
            given, chat, _ = replaying.within(ports)
            return list(turns(conversation, chat_graph(given, settings), chat, asking))

        conversations = asking.first(read(CONVERSATIONS))
        with ThreadPoolExecutor(asking.beside(len(conversations))) as threads:
            return [asked for of in threads.map(held, conversations) for asked in of]


def chat_graph(ports: Ports, settings: Settings) -> Chat:
    """Return the product's chat graph with conversations in memory."""
    return build_chat_graph(ports, settings, load_prompts(), checkpointer=InMemorySaver())


def turn(graph: Chat, thread: str, text: str) -> Turn:
    """Say `text` and return what becomes of it; raises MissingRecordingError."""
    message = ChatInput(messages=[HumanMessage(text)])
    state = graph.invoke(message, {"configurable": {"thread_id": thread}})
    return ChatState.model_validate(state).turns[-1]


def turns(conversation: Row, graph: Chat, chat: RecordedChat, asking: Asking) -> Iterator[Row]:
    """Yield the turns of one conversation, up to the first that is not recorded or too late."""
    for key in conversation["turns"]:
        before = chat.seconds
        if not asking.in_time:
            return
        try:
            done = turn(graph, conversation["cid"], key["text"])
        except MissingRecordingError:
            return
        yield {
            "cid": conversation["cid"],
            "kind": key["kind"],
            "question": done.question,
            "how": done.how,
            "status": done.status,
            "answer": done.answer,
            "outcome": outcome(key, done.status, done.answer),
            "gold_cited": cites_gold(key, done),
            "calls": done.llm_calls,
            "tokens": done.prompt_tokens + done.completion_tokens,
            "seconds": round(chat.seconds - before, 2),
        }


def table(asked: Sequence[Row]) -> str:
    """Return a row for each kind of turn; calls, tokens and seconds are medians."""
    found = ((kind, [row for row in asked if row["kind"] == kind]) for kind in KINDS)
    lines = [_line(kind, rows) for kind, rows in found if rows]
    return table_of(lines) if lines else ""


def _line(kind: str, rows: Sequence[Row]) -> dict[str, str]:
    counts = Counter(row["outcome"] for row in rows)
    known = kind in ("value", "sibling")
    return {
        "turn": kind,
        "right (95 %)": told_share(counts["right"], len(rows)),
        "wrong": str(counts["wrong"]),
        "refused": str(sum(row["status"] == "refused" for row in rows)),
        "gold cited": str(sum(row["gold_cited"] for row in rows)) if known else "-",
        "completed": str(sum(row["how"] == "model" for row in rows)),
        "calls": f"{median(row['calls'] for row in rows):g}",
        "tokens": f"{median(row['tokens'] for row in rows):.0f}",
        "seconds": f"{median(row['seconds'] for row in rows):.0f}",
    }


def outcome(key: Row, status: str, answer: str) -> Outcome:
    """Return what became of a turn.

    A value is right where one of its accepted spellings is in the answer, word by word. A
    comparison is right where `winner` finds the right item. A question that the documents do not
    answer is right where it is refused.

    >>> outcome({"kind": "value", "answers": ["5", "five"]}, "answered", "At most five [c5].")
    'right'
    >>> outcome({"kind": "unanswerable"}, "refused", "not found in provided docs")
    'right'
    """
    if key["kind"] == "unanswerable":
        return "right" if status == "refused" else "wrong"
    if status == "refused":
        return "refused"
    text = " ".join(words_of(answer))
    if key["kind"] == "comparison":
        is_right = winner(text, key["word"], (key["answers"], key["other"])) == 0
    else:
        is_right = by_words(text, key["answers"]) == "right"
    return "right" if is_right else "wrong"


def winner(text: str, word: str, items: Sequence[Sequence[str]]) -> int | None:
    """Return which of the items, each with its spellings, a comparison names; None: neither.

    It is the item named nearest before the question's own comparing word, else the first one
    behind it. Where the answer does not have the word, it is the only item that it names; with both
    named and nothing compared, neither.

    >>> items = (["Holm"], ["Jacobi"])
    >>> winner("Jacobi was born in 1938 and Holm in 1931, so Holm is older.", "older", items)
    0
    >>> winner("Jacobi, born in 1938.", "older", items)
    1
    >>> winner("Jacobi was born in 1938, Holm in 1931.", "older", items) is None
    True
    """
    padded = f" {normal(text)} "
    named = sorted(
        (at, number)
        for number, spellings in enumerate(items)
        for spelling in spellings
        for at in range(len(padded))
        if padded.startswith(f" {normal(spelling)}", at)
    )
    compared = padded.find(f" {normal(word)} ")
    if compared < 0 and len({number for _, number in named}) > 1:
        return None
    before = [number for at, number in named if at < compared]
    behind = [number for at, number in named if at > compared]
    return before[-1] if before else next(iter(behind), None)


def cites_gold(key: Row, turn: Turn) -> bool:
    """Return whether an answer cites a file that states what was asked for."""
    wanted = {gold["file"] for gold in key.get("gold", ())}
    return any(Path(cited.source).name in wanted for cited in turn.citations)
