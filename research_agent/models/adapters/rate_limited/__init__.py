"""Models with all that a server needs around one request: a limit, a deadline, further tries."""

from research_agent.models.adapters.rate_limited.chat import ManagedChat
from research_agent.models.adapters.rate_limited.embedder import ManagedEmbedder, managed_embedder
from research_agent.models.adapters.rate_limited.server import Pacing, Server

__all__ = ["ManagedChat", "ManagedEmbedder", "Pacing", "Server", "managed_embedder"]
