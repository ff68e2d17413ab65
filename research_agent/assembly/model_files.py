"""Files about models on this machine: packaged weights, kept replies, what was learned."""

from collections.abc import Mapping
from pathlib import Path

from research_agent.models.adapters.weights import (
    WEIGHT_SETS,
    WeightStatus,
    cache_directory,
    prune_parts,
    status,
)


def reply_file(environment: Mapping[str, str]) -> Path:
    """Return the SQLite file of the reply cache: replies as they were, prompts as hashes."""
    return cache_directory(environment) / "replies.sqlite3"


def learned_file(environment: Mapping[str, str]) -> Path:
    """Return the JSON file of what servers can and how fast they are; it holds no text."""
    return cache_directory(environment) / "learned.json"


def weight_statuses(environment: Mapping[str, str]) -> tuple[WeightStatus, ...]:
    """Return what is here of each packaged set of weights."""
    cache = cache_directory(environment)
    return tuple(status(weights, cache) for weights in WEIGHT_SETS.values())


def prune_all(environment: Mapping[str, str]) -> int:
    """Delete the installed parts of every set that is joined and verified; return the bytes."""
    cache = cache_directory(environment)
    return sum(
        prune_parts(item.weights, cache) for item in weight_statuses(environment) if item.verified
    )
