"""Files about models on this machine: packaged weights, kept replies, what was learned."""

from collections.abc import Mapping
from pathlib import Path

from research_agent.models.adapters.weights import joining
from research_agent.models.adapters.weights.copies import prune_parts, restore_parts


def reply_file(environment: Mapping[str, str]) -> Path:
    """Return the SQLite file of the reply cache: replies as they were, prompts as hashes."""
    return joining.cache_directory(environment) / "replies.sqlite3"


def learned_file(environment: Mapping[str, str]) -> Path:
    """Return the JSON file of what servers can and how fast they are; it holds no text."""
    return joining.cache_directory(environment) / "learned.json"


def weight_statuses(environment: Mapping[str, str]) -> tuple[joining.WeightStatus, ...]:
    """Return what is here of each packaged set of weights."""
    cache = joining.cache_directory(environment)
    return tuple(joining.status(weights, cache) for weights in joining.WEIGHT_SETS.values())


def prune_all(environment: Mapping[str, str]) -> int:
    """Delete the installed parts of every set that is joined and verified; return the bytes."""
    cache = joining.cache_directory(environment)
    return sum(
        prune_parts(item.weights, cache) for item in weight_statuses(environment) if item.verified
    )


def restore_all(environment: Mapping[str, str]) -> int:
    """Write the parts again that were deleted after a join; return the bytes."""
    cache = joining.cache_directory(environment)
    return sum(restore_parts(item.weights, cache) for item in weight_statuses(environment))
