"""Models behind servers that speak OpenAI's protocol, through langchain-openai."""

from research_agent.models.adapters.openai.chat import OpenAIChat
from research_agent.models.adapters.openai.connection import OPENAI_URL, Endpoint
from research_agent.models.adapters.openai.embeddings import OpenAIEmbedder

__all__ = ["OPENAI_URL", "Endpoint", "OpenAIChat", "OpenAIEmbedder"]
