"""The packaged models: the embedding model, and the cross-encoder that compares two texts.

Weights and tokenizers are data files of installed packages. None of these is imported and
nothing is downloaded.
"""

from research_agent.models.adapters.minilm.cross_encoder import CrossEncoder
from research_agent.models.adapters.minilm.embedding import (
    DIMENSION,
    MAX_TOKENS,
    NAME,
    MiniLM,
)

__all__ = ["DIMENSION", "MAX_TOKENS", "NAME", "CrossEncoder", "MiniLM"]
