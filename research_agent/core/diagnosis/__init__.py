"""What `research-agent doctor` found out about a set-up, and what it means."""

from research_agent.core.diagnosis.facts import (
    CacheFacts,
    CalibrationFacts,
    EmbeddingFacts,
    Facts,
    Finding,
    IndexFacts,
    Level,
    ModelFacts,
    NetworkFacts,
    PlaceFacts,
    Problem,
    ReplyFacts,
    SoftwareFacts,
    SourceFacts,
    WeightFacts,
)
from research_agent.core.diagnosis.findings import findings, is_sound

__all__ = [
    "CacheFacts",
    "CalibrationFacts",
    "EmbeddingFacts",
    "Facts",
    "Finding",
    "IndexFacts",
    "Level",
    "ModelFacts",
    "NetworkFacts",
    "PlaceFacts",
    "Problem",
    "ReplyFacts",
    "SoftwareFacts",
    "SourceFacts",
    "WeightFacts",
    "findings",
    "is_sound",
]
