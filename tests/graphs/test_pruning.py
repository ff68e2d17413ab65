"""The research graph with chunks left out of its evidence, and brought back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphs.research import build_research_graph
from graphs.state import RESULT, ResearchInput
from research_agent.answering.events import Known, finished
from research_agent.settings import BudgetSettings, PruneSettings, Settings
from research_agent.types import Completion, Message
from research_agent.types.events import ChunksPruned
from research_agent.types.pruning import Pruned
from research_agent.types.result import ResearchResult
from tests.answering.pruning import NuModel
from tests.fakes import BYPASSING, GOOD, NO, PROMPTS, YES, ScriptedChat, ports, says

ASKED = "How many bytes has the encapsulation key of the middle size?"
"""It names no chunk: none is kept for that."""
ONE_ROUND = BudgetSettings(rounds=1)


class Answerer(NuModel):
    """Measured by what helps it; its answers are scripted, the last over and over."""

    def __init__(self, *answers: Completion, helpful: str) -> None:
        super().__init__(helpful)
        self.answers, self.answered = answers, 0

    def complete(
        self, role: str, messages: Sequence[Message], *, max_tokens: int, **more: object
    ) -> Completion:
        if role == "prune":
            return super().complete(role, messages, max_tokens=max_tokens, **more)
        self.answered += 1
        self.prompt: str = messages[-1].text
        return self.answers[min(self.answered, len(self.answers)) - 1]


def settings(**prune: object) -> Settings:
    given: dict[str, Any] = {"mode": "threshold", "min_gain": 0.05} | prune
    return replace(BYPASSING, prune=PruneSettings(**given), budget=ONE_ROUND)


def run(answerer: Answerer, verifier: ScriptedChat, whole: Settings) -> ResearchResult:
    given = replace(ports(ScriptedChat(says(GOOD)), verifier=verifier), answerer=answerer)
    graph = build_research_graph(given, whole, PROMPTS)
    result: ResearchResult = graph.invoke(ResearchInput(question=ASKED))["result"]
    return result


def test_answer_from_what_is_left() -> None:
    """The noise is not in the prompt, and the result tells what was left out and why."""
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(YES), settings())

    assert ("answered", 1) == (result.status, len(result.evidence))
    assert "ML-KEM-512" not in answerer.prompt
    assert ("threshold", "gain", 1, 0) == (
        result.prune.mode,
        result.prune.source,
        result.prune.kept,
        result.prune.reinstated,
    )
    assert result.prune.original > 1
    assert result.prune.calls + 2 == result.usage.llm_calls
    assert result == RESULT.validate_json(RESULT.dump_json(result))


def test_refusal_brings_back_what_was_left_out() -> None:
    """The wrong chunk was kept: after a refusal the right one enters, without another search."""
    answerer = Answerer(says(GOOD.replace("[c1]", "[c2]")), helpful="Bread is")
    whole = replace(settings(), filter=replace(Settings().filter, mode="off"))
    result = run(answerer, ScriptedChat(NO, YES), whole)
    keys = [item.key for item in result.evidence]

    assert ("answered", "confident", 1) == (result.status, result.stop_reason, result.rounds)
    assert (2, 2) == (answerer.answered, result.prune.reinstated)
    assert ["c1", "c2", "c3"] == keys
    assert "Bread" in result.evidence[0].hit.chunk.text
    assert result.prune.original == result.prune.kept


def test_a_second_refusal_stands() -> None:
    """What was left out comes back once a question."""
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(NO), settings())

    assert ("refused", "refused", 2) == (result.status, result.stop_reason, answerer.answered)


def test_without_pruning_a_refusal_stands_at_once() -> None:
    """Nobody is asked again."""
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(NO), settings(mode="off"))

    assert ("refused", 1) == (result.status, answerer.answered)


def test_uncertain_answer_brings_them_back_and_the_better_one_wins() -> None:
    """The second answer is as unsure as the first: the first stays, at one more call."""
    near = "An encapsulation key of ML-KEM-768 has 1184 bytes [c1]."
    answerer = Answerer(says(near, sure=False), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(YES), settings())

    assert ("answered", "worse_than_before", 2) == (
        result.status,
        result.stop_reason,
        answerer.answered,
    )
    assert near == result.answer
    assert 0 < result.prune.reinstated


def test_budget_that_pays_no_other_answer() -> None:
    """The refusal stands: nothing is brought back."""
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    whole = replace(settings(), budget=BudgetSettings(rounds=1, llm_calls=6))
    result = run(answerer, ScriptedChat(NO), whole)

    assert ("refused", 1, 0) == (result.status, answerer.answered, result.prune.reinstated)


def test_event_tells_what_was_left_out() -> None:
    """Before the evidence; without pruning there is no such event."""
    seen: list[Pruned] = []
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    given = replace(ports(ScriptedChat(says(GOOD))), answerer=answerer)
    graph = build_research_graph(given, settings(), PROMPTS)
    for update in graph.stream(ResearchInput(question=ASKED), stream_mode="updates"):
        written = update.get("select_evidence")
        if written:
            ended, first, _, *_rest = finished(Known(), "select_evidence", written)[1]
            assert isinstance(first, ChunksPruned)
            assert "pruned" in getattr(ended, "summary", "")
            seen.append(written["pruned"])

    assert 1 == len(seen)
