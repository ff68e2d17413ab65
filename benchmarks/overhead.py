"""What a question costs beside the model and the embedder, in a warm process.

The model is replaced by one that says the first evidence sentence at once; the time of the
embedder is measured and taken off.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from benchmarks.places import PDFS
from benchmarks.questions import nist_keys
from research_agent.app.agent import ResearchAgent
from research_agent.app.indexing import index_for_docs
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.core.types import Alternative, Completion, Message, ModelCall, Token
from research_agent.ports import Embedder, JsonSchema, ToolSpec
from research_agent.settings import Settings

QUESTIONS = 30


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
        self.seconds = 0.0

    @property
    def name(self) -> str:
        """The model behind it."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Embed and take the time."""
        started = time.perf_counter()
        vectors = self._embedder.embed(texts)
        self.seconds += time.perf_counter() - started
        return vectors


def run() -> Mapping[str, float]:
    """Return the median and the largest overhead, in milliseconds, over 30 questions."""
    settings = Settings()
    index = index_for_docs([str(PDFS)], settings, quiet=True)
    chat, spent = InstantChat(), []
    with connect(index, settings, {}) as connection:
        embedder = TimedEmbedder(connection.ports.embedder)
        ports = replace(
            connection.ports,
            answerer=chat,
            planner=chat,
            filterer=chat,
            verifier=chat,
            embedder=embedder,
        )
        with ResearchAgent(ports, settings, load_prompts()) as agent:
            agent.ask("What is ML-KEM?")
            for key in nist_keys()[:QUESTIONS]:
                embedder.seconds = 0.0
                started = time.perf_counter()
                agent.ask(key["question"])
                spent.append(1000 * (time.perf_counter() - started - embedder.seconds))
    return {"questions": len(spent), "median_ms": median(spent), "max_ms": max(spent)}
