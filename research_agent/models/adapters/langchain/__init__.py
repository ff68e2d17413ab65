"""Chat and embedding models that are LangChain objects, given in Python or named in settings."""

from research_agent.models.adapters.langchain.chat import LangChainChat, chat_object
from research_agent.models.adapters.langchain.embeddings import LangChainEmbedder, embeddings_object
from research_agent.models.adapters.langchain.failures import object_name
from research_agent.models.adapters.langchain.retrieval import LangChainReranker, RetrievedChunks

__all__ = [
    "LangChainChat",
    "LangChainEmbedder",
    "LangChainReranker",
    "RetrievedChunks",
    "chat_object",
    "embeddings_object",
    "object_name",
]
