"""The product's check of recorded drafts, asked anew: drafts outlive the wording of a check."""

import time
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.answers import arm as answering
from benchmarks.drafts import Asked, recorded, recording
from benchmarks.models import opened_models
from benchmarks.places import RECORDINGS
from benchmarks.recording import MissingRecordingError, RecordedChat, Recordings
from research_agent.answering.write.answerability import answerability, pieces
from research_agent.config import load_prompts
from research_agent.ports import ChatModel, SentencePairs
from research_agent.settings import Settings
from research_agent.types import Message
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import render_evidence

Place = tuple[str, str]
"""The set and the id of a question."""


def checks(weights: str) -> Mapping[Place, float | None]:
    """Return P(yes) of today's check for each recorded draft whose check is recorded."""
    return _asked(weights, None, minutes=60.0)


def record(weights: str, *, minutes: float) -> int:
    """Ask what is not recorded until `minutes` are over, and return how many are known then."""
    settings = answering(weights, "", Settings()).settings
    with opened_models(settings) as models:
        return len(_asked(weights, models.verifier, minutes=minutes))


def _asked(weights: str, model: ChatModel | None, *, minutes: float) -> dict[Place, float | None]:
    until = time.monotonic() + 60 * minutes
    kept = Recordings(RECORDINGS / f"checks-{weights}.jsonl", weights)
    chat = RecordedChat(model, kept, weights)
    found: dict[Place, float | None] = {}
    for asked in recorded(recording(weights)):
        if time.monotonic() > until:
            break
        if asked.is_draft:
            try:
                found[asked.source, asked.qid] = _yes(chat, asked)
            except MissingRecordingError:
                continue
    return found


def with_check(asked: Asked, known: Mapping[Place, float | None], pairs: SentencePairs) -> Asked:
    """Return a draft with its answerability by today's check, None where it is not known."""
    answerable = known.get((asked.source, asked.qid))
    if answerable is not None:
        texts = pieces([item.hit.chunk.text for item in asked.evidence])
        answerable = answerability(answerable, max(pairs.relevance(asked.question, texts)))
    return replace(asked, answer=replace(asked.answer, answerable=answerable))


def _yes(chat: ChatModel, asked: Asked) -> float | None:
    prompts = load_prompts()
    user = prompts.answerable.render(
        evidence=render_evidence(asked.evidence),
        question=asked.question,
        answer=asked.answer.text.strip(),
    )
    messages = [Message("system", prompts.answer_system.render()), Message("user", user)]
    return yes_or_no(chat.complete("verifier", messages, max_tokens=1))
