"""A least gain that was fitted: for which model and settings, and where it goes."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from research_agent.answering.select_evidence.gain import MAX_TOKENS, PASSAGE_TOKENS
from research_agent.assembly.models.report import describe_models
from research_agent.settings import PruneSettings, Settings
from research_agent.verification.calibration.gain_limits import GainLimit


def measured_model(settings: Settings, environment: Mapping[str, str]) -> str:
    """Return the name of the model whose gains are measured."""
    named = {about.role: about.model for about in describe_models(settings.models, environment)}
    return named["answer"]


def gain_digest(settings: Settings) -> str:
    """Return a digest of what gains depend on beside the model."""
    given = (MAX_TOKENS, PASSAGE_TOKENS, 0, 0.0)  # (of these two every limit so far was fitted)
    return sha256(repr((given, settings.models.top_logprobs)).encode()).hexdigest()


def with_gain_limit(settings: Settings, limit: GainLimit | None, writers: str) -> Settings:
    """Return settings with a fitted limit in the place of the default; a user's own stays.

    `writers` are the models that write and check answers, the writing one first.
    """
    if limit is None or not _takes(settings) or gain_stale(settings, limit, writers):
        return settings
    return replace(settings, prune=replace(settings.prune, min_gain=limit.value))


def gain_stale(settings: Settings, limit: GainLimit | None, writers: str) -> str:
    """Return why a limit is not used; empty where it is, or where none would be."""
    if limit is None or not _takes(settings):
        return ""
    if writers and writers.split(" and ", maxsplit=1)[0] != limit.writers:
        return f"gains were measured with {limit.writers}"
    return "" if limit.settings == gain_digest(settings) else "the settings of prune are others"


def _takes(settings: Settings) -> bool:
    prune = settings.prune
    own = prune.min_gain != PruneSettings().min_gain
    return prune.mode == "threshold" and prune.by != "similarity" and not own
