"""The embedded model's weights: parts in packages, joined in the cache."""

from research_agent.models.adapters.weights.copies import prune_joined, prune_parts, restore_parts
from research_agent.models.adapters.weights.joining import (
    WEIGHT_SETS,
    Progress,
    WeightSet,
    WeightStatus,
    cache_directory,
    choose,
    ensure_weights,
    gguf_file,
    part_files,
    status,
)

__all__ = [
    "WEIGHT_SETS",
    "Progress",
    "WeightSet",
    "WeightStatus",
    "cache_directory",
    "choose",
    "ensure_weights",
    "gguf_file",
    "part_files",
    "prune_joined",
    "prune_parts",
    "restore_parts",
    "status",
]
