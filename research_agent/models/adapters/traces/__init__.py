"""A run on disk, as lines of JSON, and the ports that write it and answer from it."""

from research_agent.models.adapters.traces.reading import read_lines
from research_agent.models.adapters.traces.recording import (
    Write,
    recording_chat,
    recording_decisions,
    recording_embedder,
    recording_reranker,
)
from research_agent.models.adapters.traces.replaying import (
    RecordedDecisions,
    ReplayedChat,
    ReplayedEmbedder,
    ReplayedReranker,
)
from research_agent.models.adapters.traces.writing import TraceFile

__all__ = [
    "RecordedDecisions",
    "ReplayedChat",
    "ReplayedEmbedder",
    "ReplayedReranker",
    "TraceFile",
    "Write",
    "read_lines",
    "recording_chat",
    "recording_decisions",
    "recording_embedder",
    "recording_reranker",
]
