"""Limits that were fitted to answers: for which models and settings, and where they go."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from research_agent.assembly.models.report import describe_models
from research_agent.settings import AnswerSettings, Settings, VerifySettings
from research_agent.verification.calibration.answer_limits import (
    MAX_ENTROPY,
    MIN_ANSWERABLE,
    AnswerLimit,
    digest_mismatch,
)


def writers_of(settings: Settings, environment: Mapping[str, str]) -> str:
    """Return the names of the models that write and check answers."""
    named = {about.role: about.model for about in describe_models(settings.models, environment)}
    return " and ".join(dict.fromkeys([named["answer"], named["verifier"]]))


def answering_digest(settings: Settings) -> str:
    """Return a digest of the settings that answers are written with, the fitted ones left out."""
    answer = replace(settings.answer, min_answerable=AnswerSettings().min_answerable)
    given = (answer, settings.evidence)
    return sha256(repr(given).encode()).hexdigest()


def with_answer_limits(
    settings: Settings, limits: Mapping[str, AnswerLimit], writers: str
) -> Settings:
    """Return settings with fitted limits in the place of defaults; a user's own values stay.

    Limits of other models or settings are left out. Raises ConfigError for one out of range.
    """
    usable = {
        name: limit.value
        for name, limit in limits.items()
        if not digest_mismatch(limit, writers=writers, settings=answering_digest(settings))
    }
    answer, verify = settings.answer, settings.verify
    if MIN_ANSWERABLE in usable and answer.min_answerable == AnswerSettings().min_answerable:
        answer = replace(answer, min_answerable=usable[MIN_ANSWERABLE])
    if MAX_ENTROPY in usable and verify.max_entropy == VerifySettings().max_entropy:
        verify = replace(verify, max_entropy=usable[MAX_ENTROPY])
    return replace(settings, answer=answer, verify=verify)


def answers_stale(settings: Settings, limits: Mapping[str, AnswerLimit], writers: str) -> str:
    """Return why limits are not used; empty where they are, or where there are none."""
    digest = answering_digest(settings)
    found = (digest_mismatch(one, writers=writers, settings=digest) for one in limits.values())
    return next(filter(None, found), "")
