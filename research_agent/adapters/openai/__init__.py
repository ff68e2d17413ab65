"""Models behind servers that speak OpenAI's protocol, through langchain-openai."""

from research_agent.adapters.openai.chat import OpenAIChat
from research_agent.adapters.openai.connection import OPENAI_URL, Endpoint, is_loopback
from research_agent.adapters.openai.embeddings import OpenAIEmbedder

__all__ = ["OPENAI_URL", "Endpoint", "OpenAIChat", "OpenAIEmbedder", "is_loopback"]
