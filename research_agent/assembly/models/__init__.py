"""Which adapter fills which role."""

from research_agent.assembly.models.connecting import Models, connect_embedder, connect_models
from research_agent.assembly.models.report import ModelDescription, describe_models

__all__ = ["ModelDescription", "Models", "connect_embedder", "connect_models", "describe_models"]
