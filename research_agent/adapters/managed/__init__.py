"""Models with all that a server needs around one request: a limit, a deadline, further tries."""

from research_agent.adapters.managed.chat import ManagedChat
from research_agent.adapters.managed.embedder import ManagedEmbedder, managed_embedder
from research_agent.adapters.managed.server import Pacing, Server

__all__ = ["ManagedChat", "ManagedEmbedder", "Pacing", "Server", "managed_embedder"]
