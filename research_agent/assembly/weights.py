"""The packaged weights, for the command line."""

from collections.abc import Mapping

from research_agent.models.adapters.weights import (
    WEIGHT_SETS,
    WeightStatus,
    cache_directory,
    prune_parts,
    status,
)


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
