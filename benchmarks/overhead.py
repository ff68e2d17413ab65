"""What a question costs beside the model and the embedder, in a warm process.

The model is replaced by one that says the same at once; the times leave out the embedder. Beside
that: how many of the project's files and functions one question goes through, with fakes.
"""

import math
import sys
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Self
from unittest.mock import patch

from benchmarks.common import ROOT, nist_keys
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.own_graphs import own
from research_agent.ports import Embedder, JsonSchema, Ports, ToolSpec
from research_agent.settings import Settings
from research_agent.types import Alternative, Completion, Message, ModelCall, Token

Node = Callable[..., object]
QUESTIONS = 30
WARMING = "What is ML-KEM?"
OURS = tuple(str(ROOT / name) for name in ("research_agent", "graphs"))
"""Where the files are that are counted."""


class InstantChat:
    """Says the same at once, with log-probabilities for 60 tokens, other ones in each reply."""

    def __init__(self) -> None:
        """Begin with no reply."""
        self._replies = 0

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
        self._replies += 1
        first, count = 60 * self._replies, 1 if max_tokens == 1 else 60
        tokens = tuple(
            Token(word, -0.1, _alternatives(word, at)) for at in range(first, first + count)
        )
        return Completion("".join(token.text for token in tokens), ModelCall(role), tokens=tokens)


def _alternatives(word: str, at: int) -> tuple[Alternative, ...]:
    """Return what a token could have been, with figures of its own."""
    return tuple(Alternative(f"{word}{i or ''}", -0.1 - 2 * i - at / 100_000) for i in range(5))


class TimedEmbedder:
    """Passes texts on and adds up the seconds they take."""

    def __init__(self, embedder: Embedder) -> None:
        """Pass texts on to `embedder`."""
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


class Counted:
    """Files and functions of the project that are called in its `with` block, on every thread."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.calls = 0
        self.moves = 0
        """Calls of a function in another file than the last one's on the same thread."""
        self._files: set[str] = set()
        self._last: dict[int, str] = {}

    def __enter__(self) -> Self:
        """Begin to count."""
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        sys.setprofile(None)
        threading.setprofile(None)

    @property
    def figures(self) -> Mapping[str, int]:
        """How many there are of each."""
        return {"files": len(self._files), "calls": self.calls, "moves": self.moves}

    def _called(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(OURS):
            thread = threading.get_ident()
            self.calls += 1
            self.moves += self._last.get(thread, file) != file
            self._last[thread] = file
            self._files.add(file)


def with_fakes() -> Mapping[str, int]:
    """Count what one question goes through whose answer has two sentences; second time, warm."""
    from tests.fakes import PROMPTS, ScriptedChat, ports

    with ResearchAgent(instant(ports(ScriptedChat())), Settings(), PROMPTS) as agent:
        agent.ask("How long is the hose of the pump?")
        with Counted() as counted:
            agent.ask("How long is the hose of the pump?")
    return counted.figures


def measure(ports: Ports, settings: Settings, questions: Sequence[str]) -> Mapping[str, float]:
    """Return the milliseconds of `questions` on `ports` with an instant model, embedder left out.

    One more question is asked before, to warm up.
    """
    embedder = TimedEmbedder(ports.embedder)
    with ResearchAgent(
        instant(replace(ports, embedder=embedder)), settings, load_prompts()
    ) as agent:
        agent.ask(WARMING)
        spent = []
        for question in questions:
            before, started = embedder.seconds, time.perf_counter()
            agent.ask(question)
            spent.append(1000 * (time.perf_counter() - started - embedder.seconds + before))
    return {"questions": len(spent), "median_ms": median(spent), "max_ms": max(spent)}


@contextmanager
def nodes_as(change: Callable[[str, Node], Node]) -> Iterator[None]:
    """Let graphs that are built in the block have other functions as their nodes."""
    with ExitStack() as changes:
        for module in (own("nodes"), own("search")):
            for name, node in list(vars(module).items()):
                if name.endswith("_node"):
                    changes.enter_context(patch.object(module, name, change(name, node)))
        yield


def graph_alone(ports: Ports, settings: Settings, questions: Sequence[str]) -> float:
    """Return the median processor milliseconds of LangGraph, states and their reducers.

    The same graph is asked again with nodes that only return what they returned before.
    """
    updates = defaultdict[str, deque[object]](deque)

    def watched(name: str, node: Node) -> Node:
        def run(*args: object) -> object:
            updates[name].append(update := node(*args))
            return update

        return run

    spent = []
    with nodes_as(watched):
        agent = ResearchAgent(instant(ports), settings, load_prompts())
    with nodes_as(lambda name, _: lambda *_: updates[name].popleft()):
        player = ResearchAgent(instant(ports), settings, load_prompts())
    with agent, player:
        for question in questions:
            agent.ask(question)
            began = time.process_time()
            player.ask(question)
            spent.append(1000 * (time.process_time() - began))
    return median(spent)


def instant(ports: Ports) -> Ports:
    """Return ports whose models answer at once."""
    chat = InstantChat()
    return replace(ports, answerer=chat, planner=chat, filterer=chat, verifier=chat)


def run() -> Mapping[str, object]:
    """Return what 30 questions over the six PDFs cost, and what one goes through."""
    settings, questions = Settings(), [key["question"] for key in nist_keys()[:QUESTIONS]]
    with TemporaryDirectory() as place, opened("nist", Path(place), settings) as ports:
        alone = graph_alone(ports, settings, questions)
        told = measure(ports, settings, questions)
        return {**told, "graph_and_state_ms": alone, "one_question": with_fakes()}
