"""How conversations are kept."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How conversations are kept, and when they ask back."""

    path: str = ""
    """The folder of the sessions; empty: `sessions` in the user's data folder."""
    postgres_env: str = ""
    """The environment variable that holds a PostgreSQL address to keep them there instead."""
    retention_days: Annotated[float, Range(0, 36_500, "days")] = 0.0
    """A session that was not used for so long is deleted when `chat` begins; 0: never."""
    follow_ups: Literal["model", "off"] = "model"
    """Complete a question by the turns before: with one call of the planner model, or never."""
    max_history_tokens: Annotated[int, Range(0, 100_000, "tokens")] = 1000
    """Of the turns before, what the planner model reads to complete a question."""
    clarify: Literal["auto", "off"] = "auto"
    """Ask back, in a terminal, when a short question fits several documents or sections alike."""
    clarify_margin: Annotated[float, Range(0, 1, "cosine")] = 0.02
    """They fit alike when their best hits differ by no more."""
    clarify_words: Annotated[int, Range(0, 100, "words")] = 6
    """A question with more words is clear by itself."""
