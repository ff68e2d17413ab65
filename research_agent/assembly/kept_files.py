"""Where this program keeps what it has seen of models, beside the joined weights."""

from collections.abc import Mapping
from pathlib import Path

from research_agent.models.adapters.weights import cache_directory


def reply_file(environment: Mapping[str, str]) -> Path:
    """Return the SQLite file of the reply cache: replies as they were, prompts as hashes."""
    return cache_directory(environment) / "replies.sqlite3"


def learned_file(environment: Mapping[str, str]) -> Path:
    """Return the JSON file of what servers can and how fast they are; it holds no text."""
    return cache_directory(environment) / "learned.json"
