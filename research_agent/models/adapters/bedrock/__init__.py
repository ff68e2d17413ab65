"""Models of Amazon Bedrock, through langchain-aws."""

from research_agent.models.adapters.bedrock.chat import BedrockChat
from research_agent.models.adapters.bedrock.connection import BedrockEndpoint, profile_region
from research_agent.models.adapters.bedrock.embeddings import BedrockEmbedder

__all__ = ["BedrockChat", "BedrockEmbedder", "BedrockEndpoint", "profile_region"]
