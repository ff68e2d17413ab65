"""Which adapter fills which role."""

from research_agent.assembly.models.connecting import (
    Models,
    OnNote,
    connect_embedder,
    connect_models,
)
from research_agent.assembly.models.pricing import check_prices
from research_agent.assembly.models.report import ModelDescription, describe_models

__all__ = [
    "ModelDescription",
    "Models",
    "OnNote",
    "check_prices",
    "connect_embedder",
    "connect_models",
    "describe_models",
]
