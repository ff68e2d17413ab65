"""Which adapter fills which role."""

from research_agent.assembly.models.connecting import (
    Models,
    OnNote,
    connect_embedder,
    connect_models,
)
from research_agent.assembly.models.pricing import check_prices
from research_agent.assembly.models.report import ModelDescription, describe_models
from research_agent.assembly.models.reranker import connect_reranker

__all__ = [
    "ModelDescription",
    "Models",
    "OnNote",
    "check_prices",
    "connect_embedder",
    "connect_models",
    "connect_reranker",
    "describe_models",
]
