"""The embedded model's weights: packages carry them in parts, and the cache holds them whole."""

from research_agent.models.adapters.weights.joining import Progress, ensure_weights, prune_parts
from research_agent.models.adapters.weights.sets import (
    WEIGHT_SETS,
    WeightSet,
    WeightStatus,
    cache_directory,
    choose,
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
    "prune_parts",
    "status",
]
