"""A model that is unsure without the right chunk, and the step that measures it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from research_agent.answering.select_evidence.step import EarlierEvidence, Selected, select_evidence
from research_agent.context import RunContext
from research_agent.ports import Ports
from research_agent.settings import EvidenceSettings, PruneSettings, Settings
from research_agent.types import Completion, Hit, Message, ModelCall, Outcome
from research_agent.types.budget import Allowance
from tests import fakes

QUESTION = "At how many degrees is bread baked?"
TEXTS = (
    "Bread is baked hot in the oven, at two hundred and thirty.",
    "Bread is baked hot in an oven, at two hundred thirty.",
    "Trains leave for the coast at noon.",
    "Rye takes longer.",
)
PLENTY = Allowance(99, 99, 99_999, 999.0)
LOW, HIGH = -0.001, -1.2


class NuModel:
    """A model that is the surer the more of `helpful` stand in the prompt; scripted faults."""

    def __init__(self, *helpful: str, text: str = "230 degrees") -> None:
        self.helpful, self.text = helpful, text
        self.asked: list[str] = []
        self.limits: list[int] = []
        self.faults: dict[str, BaseException] = {}
        self.silent = False
        self.refuses = ""

    def complete(
        self, role: str, messages: Sequence[Message], *, max_tokens: int, **_: object
    ) -> Completion:
        prompt = messages[-1].text
        self.asked.append(prompt)
        self.limits.append(max_tokens)
        for part, error in self.faults.items():
            if part in prompt:
                raise error
        if self.refuses and self.refuses in prompt:
            return fakes.says("NOT FOUND: the degrees")
        cost = ModelCall(role, 50, 2, model="fake")
        if self.silent:
            return Completion(self.text, cost)
        sure = any(part in prompt for part in self.helpful)
        given = (LOW, -8.0) if sure else (HIGH, HIGH, HIGH)
        tokens = tuple(fakes.token(word, *given) for word in self.text.partition(" ") if word)
        return Completion(self.text, cost, tokens=tokens)


def settings(**prune: object) -> Settings:
    given: dict[str, Any] = {"mode": "threshold", "min_gain": 0.05} | prune
    return Settings(
        prune=PruneSettings(**given), evidence=EvidenceSettings(max_chunks=4, max_tokens=500)
    )


def hits(*texts: str) -> list[Hit]:
    return [Hit(fakes.chunk(text, at), 1.0 - at / 10) for at, text in enumerate(texts or TEXTS)]


def given_ports(model: NuModel, texts: Sequence[str] = TEXTS) -> Ports:
    return replace(fakes.ports(fakes.ScriptedChat(fakes.YES), texts=texts), answerer=model)


def choose(
    model: NuModel,
    whole: Settings,
    earlier: EarlierEvidence | None = None,
    *,
    found: Sequence[Hit] = (),
    allowance: Allowance = PLENTY,
    ports: Ports | None = None,
) -> Outcome[Selected]:
    run = RunContext(ports or given_ports(model), whole, fakes.PROMPTS)
    given = earlier or EarlierEvidence()
    return select_evidence(QUESTION, found or hits(), given, run.within(allowance))


def dropped(chosen: Outcome[Selected]) -> list[str]:
    return [hit.chunk.chunk_id.removeprefix("guide-") for hit in chosen.value.pruned.dropped]


def places(chosen: Outcome[Selected]) -> list[str]:
    return [item.hit.chunk.chunk_id.removeprefix("guide-") for item in chosen.value.evidence]


def reasons(chosen: Outcome[Selected]) -> list[tuple[str, bool]]:
    return [(item.why, item.kept) for item in chosen.value.pruned.stats.decisions]
