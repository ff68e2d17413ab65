"""Second answers: asked as the product asks, recorded one by one, and a doubt of their own."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import second_answers
from benchmarks.second_answers import joined, messages_of, record, recorded
from benchmarks.uncertainty_signals import SIGNALS
from research_agent.config import load_prompts
from research_agent.core.budget import Allowance
from research_agent.core.claims import read_claims
from research_agent.core.refusals import REFUSAL
from research_agent.core.types import Completion, Message
from research_agent.core.verification import Answer
from research_agent.settings import AnswerSettings, VerifySettings
from research_agent.steps.answer import answer_question
from tests.benchmarks.test_uncertainty import DRAFT, asked
from tests.fakes import ScriptedChat, ports, says

PLENTY = Allowance(llm_calls=9, tool_calls=9, tokens=9000, seconds=900.0)


class Sampler(ScriptedChat):
    """Remembers whole prompts."""

    def __init__(self, text: str) -> None:
        super().__init__(says(text))
        self.prompts: list[list[Message]] = []

    def complete(self, role: str, messages: Sequence[Message], **limits: Any) -> Completion:  # noqa: ANN401 (of the port)
        self.prompts.append(list(messages))
        return super().complete(role, messages, **limits)


def test_the_prompt_is_the_one_of_the_product() -> None:
    """As mode "abstractive" asks for a second answer."""
    one, sampler = asked(*DRAFT), Sampler("It has 1088 bytes [c1].")
    without_tokens = replace(says("It has 1184 bytes [c1]."), tokens=())
    answer_question(
        one.question,
        one.evidence,
        Answer(),
        allowance=PLENTY,
        ports=replace(ports(ScriptedChat(without_tokens)), sampler=sampler),
        prompts=load_prompts(),
        settings=AnswerSettings(mode="abstractive"),
        verify=VerifySettings(samples=2),
    )

    assert [messages_of(one)] == sampler.prompts


def test_what_differs_is_a_doubt() -> None:
    """Of one number all; of the same words nothing; without a second answer there is none."""
    one = asked(*DRAFT)
    claims = read_claims(one.answer.text, one.answer.tokens, one.evidence, min_support=0.5)
    found = []
    for second in ("The key has 1088 bytes.", "The key has 1184 bytes.", None):
        known: dict[tuple[str, str], str] = {(one.source, one.qid): second} if second else {}
        [with_second] = joined([one], known)
        found.append(SIGNALS["difference of two answers"].of(with_second, claims))

    assert [1.0, 0.0, None] == found


def test_each_is_recorded_at_once_and_refusals_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known is not asked again."""
    path, sampler = tmp_path / "second.jsonl", Sampler("It has 1088 bytes [c1].")
    models = nullcontext(SimpleNamespace(sampler=sampler))
    monkeypatch.setattr(second_answers, "recording", lambda _weights: path)
    monkeypatch.setattr(second_answers, "opened_models", lambda _settings: models)
    refused = replace(asked(), qid="r", answer=Answer(REFUSAL))
    drafts = [asked(*DRAFT), refused, replace(asked(*DRAFT), qid="s")]
    for _ in range(2):
        record("1.5b", drafts, minutes=1)

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [("q", 0.7, 300), ("s", 0.7, 300)] == [
        (row["qid"], row["temperature"], row["max_tokens"]) for row in rows
    ]
    assert {"It has 1088 bytes [c1]."} == set(recorded(path).values())
    assert 2 == len(sampler.prompts)
