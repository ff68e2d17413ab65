"""Second answers to recorded questions, sampled freely: what two answers differ in is a doubt.

The prompt is that of the recorded first answer, which was the likeliest one.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.answers import arm as answering
from benchmarks.models import opened_models
from benchmarks.places import RECORDINGS
from benchmarks.questions import read
from benchmarks.refinement_arms import changed
from benchmarks.uncertainty_asking import SETTINGS, Asked
from research_agent.config import load_prompts
from research_agent.core.evidence import render_evidence
from research_agent.core.types import Message
from research_agent.errors import ModelMissingError
from research_agent.settings import Settings
from research_agent.steps.answer.aligning import aligned_text

TWO = changed(Settings(), verify={"samples": 2})


def recording(weights: str) -> Path:
    """Return the file of second answers of some weights."""
    return RECORDINGS / f"uncertainty-second-{weights}.jsonl"


def joined(asked: Sequence[Asked], second: Mapping[tuple[str, str], str]) -> list[Asked]:
    """Return the answers, each with its second one where there is one."""
    return [
        replace(one, answer=replace(one.answer, second=second.get((one.source, one.qid))))
        for one in asked
    ]


def recorded(path: Path) -> dict[tuple[str, str], str]:
    """Return what is recorded in a file, by set and question."""
    rows = read(path) if path.exists() else []
    return {(row["source"], row["qid"]): row["text"] for row in rows}


def messages_of(asked: Asked) -> list[Message]:
    """Return the prompt of a recorded answer."""
    prompts = load_prompts()
    shown = render_evidence(asked.evidence)
    user = prompts.answer_user.render(evidence=shown, question=asked.question)
    return [Message("system", prompts.answer_system.render()), Message("user", user)]


def record(weights: str, asked: Sequence[Asked], *, minutes: float) -> None:
    """Ask for the second answers that are missing, and record each at once; `minutes` end it.

    As in the product none is asked for where the first is a refusal.
    """
    until = time.monotonic() + 60 * minutes
    path = recording(weights)
    known = recorded(path)
    left = [one for one in asked if one.is_draft and (one.source, one.qid) not in known]
    settings = answering(weights, "", TWO).settings
    with opened_models(settings) as models:
        if models.sampler is None:
            raise ModelMissingError("there is no model to sample from")
        for one in left:
            if time.monotonic() > until:
                return
            most = SETTINGS[one.source].answer.max_tokens
            started = time.monotonic()
            reply = models.sampler.complete("answer", messages_of(one), max_tokens=most)
            row = {
                "source": one.source,
                "qid": one.qid,
                "weights": weights,
                "temperature": settings.verify.sample_temperature,
                "max_tokens": most,
                "seconds": round(time.monotonic() - started, 2),
                "text": aligned_text(reply).strip(),
            }
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
