"""Each node does real work: another input changes what it writes, and the final result with it."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.ports import JsonSchema, Ports, ToolSpec
from research_agent.settings import (
    EvidenceSettings,
    FilterSettings,
    Settings,
    VerifySettings,
)
from research_agent.types import Completion, Message
from research_agent.types.result import ResearchResult
from tests.fakes import (
    BYPASSING,
    GOOD,
    KEEP,
    NO,
    PROMPTS,
    QUESTION,
    REFINING,
    TEXTS,
    YES,
    ScriptedChat,
    ports,
    says,
)

PARTS = ["ML-KEM-768 key of bytes", "ML-KEM-768 encapsulation key"]
SPLIT = says(json.dumps({"kind": "decompose", "queries": PARTS}))
OTHER = "ML-KEM-512 has an encapsulation key of 800 bytes [c2]."
MANY = (*TEXTS, *(f"Note {i} on ML-KEM-768 keys." for i in range(9)))


def run(given: Ports, settings: Settings = BYPASSING) -> tuple[dict[str, Any], ResearchResult]:
    """Return what each node wrote last, and the result."""
    written: dict[str, Any] = {}
    graph = build_research_graph(given, settings, PROMPTS)
    for update in graph.stream(ResearchInput(question=QUESTION), stream_mode="updates"):
        written |= {
            name: {key: value for key, value in (values or {}).items() if key != "trace"}
            for name, values in update.items()
        }
    return written, written["report"]["result"]


def answering(
    reply: Completion | None = None,
    planner: ScriptedChat | None = None,
    verifier: ScriptedChat | None = None,
) -> Ports:
    return ports(ScriptedChat(reply or says(GOOD)), planner, verifier=verifier)


def outcome(result: ResearchResult) -> tuple[object, ...]:
    """What a caller acts on; not the fields that only repeat a node's output."""
    usage = result.usage
    return (result.status, result.answer, result.citations, result.queries, usage.llm_calls)


class ReadingChat(ScriptedChat):
    """Answers with what the last chunk of its prompt says."""

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
        super().complete(
            role, messages, max_tokens=max_tokens, tools=tools, schema=schema, seconds=seconds
        )
        key, text = re.findall(r'key="(c\d+)".*\n(.*)', messages[-1].text)[-1]
        return says(f"{text.rstrip('.')} [{key}].")


def reading() -> Ports:
    return ports(ReadingChat(KEEP))


CASES: dict[str, tuple[tuple[Ports, Settings], tuple[Ports, Settings]]] = {
    "retrieve": (
        (reading(), BYPASSING),
        (ports(ReadingChat(KEEP), texts=TEXTS[1:2]), BYPASSING),
    ),
    "assess": ((answering(), BYPASSING), (answering(), REFINING)),
    "refine": (
        (answering(), REFINING),
        (answering(planner=ScriptedChat(SPLIT)), REFINING),
    ),
    "search": (
        (reading(), BYPASSING),
        (reading(), replace(BYPASSING, filter=FilterSettings(min_similarity=0.75))),
    ),
    "select_evidence": (
        (reading(), BYPASSING),
        (reading(), replace(BYPASSING, evidence=EvidenceSettings(max_chunks=1))),
    ),
    "answer": (
        (answering(verifier=ScriptedChat(YES)), BYPASSING),
        (answering(verifier=ScriptedChat(NO)), BYPASSING),
    ),
    "verify": (
        (answering(says(OTHER.replace("bytes", "plain bytes"))), BYPASSING),
        (
            answering(says(OTHER.replace("bytes", "plain bytes"))),
            replace(BYPASSING, verify=VerifySettings(min_support=1.0)),
        ),
    ),
    "report": ((answering(), BYPASSING), (answering(says(OTHER)), BYPASSING)),
}


@pytest.mark.parametrize("node", CASES)
def test_input_changes_output_and_result(node: str) -> None:
    """What the node writes differs, and what the caller gets does too."""
    one, other = (run(*case) for case in CASES[node])

    assert one[0][node] != other[0][node]
    assert outcome(one[1]) != outcome(other[1])


def test_every_node_is_covered() -> None:
    """A new node needs a case here."""
    written, _ = run(answering())

    assert set(CASES) == set(written)


@pytest.mark.parametrize(
    ("settings", "decision", "calls"), [(BYPASSING, "bypass", 2), (REFINING, "refine", 3)]
)
def test_confidence_decides_about_the_planner_call(
    settings: Settings, decision: str, calls: int
) -> None:
    """A convincing ranking saves one of three model calls."""
    _, result = run(answering(), settings)

    assert (decision, calls) == (result.confidence.decision, result.usage.llm_calls)


def test_parts_of_a_question_are_searched_too() -> None:
    """Both parts become calls beside the question, and the result tells all three."""
    given = ports(ScriptedChat(says(GOOD)), ScriptedChat(SPLIT), texts=MANY)
    _, result = run(given, REFINING)

    assert "decompose" == result.refinement.kind
    assert (QUESTION, *PARTS) == result.queries
