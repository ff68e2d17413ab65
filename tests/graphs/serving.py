"""A model for every role that counts what it is asked, takes time, and fails when it is told to."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.errors import ModelTimeoutError
from research_agent.ports import JsonSchema, Ports, ToolSpec
from research_agent.settings import (
    BudgetSettings,
    EvidenceSettings,
    FilterSettings,
    SearchSettings,
    Settings,
    VerifySettings,
)
from research_agent.types import Completion, Message, ModelCall, TraceEvent
from research_agent.types.result import ResearchResult
from tests.fakes import PROMPTS, QUESTION, REFINING, ScriptedChat, calls, ports, says

TEXTS = (
    "ML-KEM-768 has an encapsulation key of 1184 bytes.",
    "ML-KEM-768 has a ciphertext of 1088 bytes.",
    *(f"ML-KEM-768 note {i} on the encapsulation key." for i in range(8)),
)
FIRST = "ML-KEM-768 has an encapsulation key of 1184 bytes [c1]."
ANSWERS = (
    f"{FIRST} It weighs 700 grams [c1].",
    f"{FIRST} ML-KEM-768 has a ciphertext of 1088 bytes [c2].",
)
DENIED = {"verdicts": [{"sentence": 1, "verdict": "unsupported", "key": "", "quote": ""}]}
PLAN = {"kind": "decompose", "queries": ["ML-KEM-768 bytes", "ML-KEM-768 encapsulation key"]}
EVERYTHING = replace(
    REFINING,
    search=SearchSettings(mode="tool_calling", max_turns=2, max_chunks=2),
    filter=FilterSettings(mode="llm", oversample=1.0),
    evidence=EvidenceSettings(max_chunks=2, max_tokens=100),
    verify=VerifySettings(judge="all"),
    budget=BudgetSettings(rounds=2),
)
"""Settings with which every role is asked in each of two rounds, and a judge in the first."""


def paid(**budget: float) -> Settings:
    return replace(EVERYTHING, budget=replace(EVERYTHING.budget, **budget))  # type: ignore[arg-type]  # (the numbers fit)


class Watch:
    """A clock that only models move."""

    def __init__(self) -> None:
        self.now = 0.0

    def seconds(self) -> float:
        return self.now


@dataclass
class Server:
    """Answers for every role; the call number `fails_at` raises `error`."""

    fails_at: int = 0
    error: BaseException = field(default_factory=KeyboardInterrupt)
    takes: float = 0.0
    """Seconds a call."""
    price: float | None = None
    watch: Watch = field(default_factory=Watch)
    asked: list[str] = field(default_factory=list)
    """What each call was for."""
    said: list[str] = field(default_factory=list)
    """What each reply was for."""
    tokens: int = 0
    lock: Lock = field(default_factory=Lock)

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
        with self.lock:
            self.asked.append(_purpose(role, tools, schema))
            if len(self.asked) == self.fails_at:
                raise self.error
            self.watch.now += min(self.takes, seconds)
            if self.takes > seconds:
                raise ModelTimeoutError("too slow")
            return self._said(messages, max_tokens, self.asked[-1])

    def _said(self, messages: Sequence[Message], max_tokens: int, what: str) -> Completion:
        reply = self._reply(what)
        prompt = sum(len(message.text.split()) + 4 for message in messages)
        cut = len(reply.tokens) > max_tokens
        tokens = reply.tokens[:max_tokens]
        text = "".join(token.text for token in tokens) if cut else reply.text
        self.tokens += prompt + len(tokens)
        cost = ModelCall(what, prompt, len(tokens), model="fake", price=self.price)
        finish = "length" if cut else "stop"
        return replace(reply, text=text, tokens=tokens, cost=cost, finish_reason=finish)

    def _reply(self, what: str) -> Completion:
        self.said.append(what)
        number = self.said.count(what)
        if what == "refine":
            return says(json.dumps(PLAN))
        if what == "plan_calls":
            return calls("ML-KEM-768 bytes", f"note {number}") if number % 2 else says("done")
        if what == "filter":
            return says("k1 -> KEEP\nk2 -> KEEP")
        if what == "answer":
            return says(ANSWERS[min(number, len(ANSWERS)) - 1])
        return says(json.dumps(DENIED) if what == "judge" else "yes")

    def ports(self) -> Ports:
        given = ports(ScriptedChat(), texts=TEXTS)
        return replace(
            given, answerer=self, planner=self, filterer=self, verifier=self, clock=self.watch
        )


def _purpose(role: str, tools: Sequence[ToolSpec], schema: JsonSchema | None) -> str:
    if schema and role != "filter":
        return "judge" if role == "verifier" else "refine"
    return "plan_calls" if tools else role


def run(
    given: Ports, settings: Settings = EVERYTHING
) -> tuple[ResearchResult, Sequence[TraceEvent]]:
    graph = build_research_graph(given, settings, PROMPTS)
    *_, values = graph.stream(
        ResearchInput(question=QUESTION), stream_mode="values", output_keys=["result", "trace"]
    )
    return values["result"], values["trace"]
