"""What a question costs beside the model and the embedder, in a warm process.

The model is replaced by one that says the same at once. The wall times leave out the embedder;
the processor times tell apart what embeds, what searches, the other steps, and the graph with its
state alone.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Self

from benchmarks.places import PDFS
from benchmarks.questions import nist_keys
from benchmarks.step_costs import Steps
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.ports import Embedder, JsonSchema, Ports, ToolSpec
from research_agent.settings import Settings
from research_agent.types import Alternative, Completion, Message, ModelCall, Token

QUESTIONS = 30
WARMING = "What is ML-KEM?"
SEARCHING = ("retrieve", "run_call")
"""The steps that read the index."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds: by the clock, and of the processor for the process and for the calling thread."""

    wall: float = 0.0
    process: float = 0.0
    thread: float = 0.0

    @classmethod
    def now(cls) -> Self:
        """Return what the clocks show."""
        return cls(time.perf_counter(), time.process_time(), time.thread_time())

    def __add__(self, other: Self) -> Self:
        """Return both together."""
        return replace(
            self,
            wall=self.wall + other.wall,
            process=self.process + other.process,
            thread=self.thread + other.thread,
        )

    def __sub__(self, other: Self) -> Self:
        """Return what has passed since `other`."""
        return self + replace(other, wall=-other.wall, process=-other.process, thread=-other.thread)


class InstantChat:
    """Says the same at once, with log-probabilities for 60 tokens."""

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
        seconds: float = math.inf,
    ) -> Completion:
        """Return a reply that fits what was asked."""
        del messages, tools, seconds
        if schema:
            return Completion('{"kind": "keep", "queries": []}', ModelCall(role))
        word = "yes" if max_tokens == 1 else " keys"
        shown = tuple(Alternative(f"{word}{i or ''}", -0.1 - 2 * i) for i in range(5))
        tokens = tuple(Token(word, -0.1, shown) for _ in range(1 if max_tokens == 1 else 60))
        return Completion("".join(token.text for token in tokens), ModelCall(role), tokens=tokens)


class TimedEmbedder:
    """Passes texts on and adds up the time they take."""

    def __init__(self, embedder: Embedder) -> None:
        """Stand in front of `embedder`."""
        self._embedder = embedder
        self.spent = Spent()

    @property
    def name(self) -> str:
        """The model behind it."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Embed and take the time."""
        started = Spent.now()
        vectors = self._embedder.embed(texts)
        self.spent += Spent.now() - started
        return vectors


def measure(ports: Ports, settings: Settings, questions: Sequence[str]) -> Mapping[str, object]:
    """Return what `questions` cost on `ports` with an instant model, after one more to warm up.

    Each question is asked twice: once as ever, then of a graph whose steps only return what they
    have returned the first time.
    """
    embedder, steps = TimedEmbedder(ports.embedder), Steps()
    used = instant(replace(ports, embedder=embedder))
    with steps.watched():
        agent = ResearchAgent(used, settings, load_prompts())
    with steps.played():
        player = ResearchAgent(used, settings, load_prompts())
    rows = []
    with agent, player:
        for question in (WARMING, *questions):
            steps.seconds.clear()
            embedder.spent = Spent()
            whole, asked = _taken(agent, question)
            alone, played = _taken(player, question)
            if asked != played:
                raise ValueError("the steps were played in another order")
            rows.append(_row(whole, embedder.spent, steps.seconds, alone))
    return summary(rows[1:])


def _taken(agent: ResearchAgent, question: str) -> tuple[Spent, str]:
    started = Spent.now()
    result = agent.ask(question)
    return Spent.now() - started, repr((result.answer, result.evidence))


def _row(
    whole: Spent, embedding: Spent, steps: Mapping[str, float], alone: Spent
) -> Mapping[str, float]:
    """Return the milliseconds of one question."""
    searching = sum(seconds for step, seconds in steps.items() if step in SEARCHING)
    seconds = {
        "wall": whole.wall - embedding.wall,
        "question": whole.process,
        "embedding": embedding.process,
        "search": searching - embedding.thread,
        "other_steps": sum(steps.values()) - searching,
        "graph_and_state": alone.process,
    }
    return {name: 1000 * value for name, value in seconds.items()}


def summary(rows: Sequence[Mapping[str, float]]) -> Mapping[str, object]:
    """Return medians in milliseconds, and the largest wall time.

    >>> summary([{"wall": 4.0, "question": 3.0}, {"wall": 2.0, "question": 1.0}])
    {'questions': 2, 'median_ms': 3.0, 'max_ms': 4.0, 'processor_ms': {'question': 2.0}}
    """
    walls = [row["wall"] for row in rows]
    return {
        "questions": len(rows),
        "median_ms": median(walls),
        "max_ms": max(walls),
        "processor_ms": {
            name: round(median(row[name] for row in rows), 2) for name in rows[0] if name != "wall"
        },
    }


def instant(ports: Ports) -> Ports:
    """Return ports whose models answer at once."""
    chat = InstantChat()
    return replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)


def run() -> Mapping[str, object]:
    """Return what 30 questions over the six PDFs cost."""
    settings = Settings()
    index = index_for_docs([str(PDFS)], settings, quiet=True)
    questions = [key["question"] for key in nist_keys()[:QUESTIONS]]
    with connect(index, settings, {}) as connection:
        return measure(connection.ports, settings, questions)
