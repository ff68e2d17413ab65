"""Models behind servers that speak OpenAI's protocol, through langchain-openai."""

from research_agent.models.adapters.openai.chat import OpenAIChat
from research_agent.models.adapters.openai.embeddings import OpenAIEmbedder
from research_agent.models.adapters.openai.endpoint import OPENAI_URL, Endpoint

__all__ = ["OPENAI_URL", "Endpoint", "OpenAIChat", "OpenAIEmbedder"]
