"""Evidence for the checks of claims: each text with altered sentences and with correct ones."""

import json
from pathlib import Path

from research_agent.core.types import Chunk

_DATA = json.loads((Path(__file__).parent.parent / "data" / "claims.json").read_text("utf-8"))
TABLES: dict[str, str] = _DATA["tables"]
TEXTS: dict[str, str] = _DATA["texts"]
ALTERED: list[tuple[str, str]] = [(name, text) for name, text in _DATA["altered"]]
"""Sentences that are wrong, though nearly all their words stand in the evidence of that name."""
CORRECT: list[tuple[str, str]] = [(name, text) for name, text in _DATA["correct"]]
"""Sentences that say what the evidence says, in its words or in other ones."""
MISSED: frozenset[str] = frozenset(_DATA["altered_missed"])
"""Altered sentences that no check catches."""
BLAMED: frozenset[str] = frozenset(_DATA["correct_blamed"])
"""Correct sentences that a check takes for altered ones."""


def evidence_chunk(name: str) -> Chunk:
    """Return a text or table as a chunk."""
    if name in TABLES:
        return Chunk(name, name, TABLES[name], kind="table")
    return Chunk(name, name, TEXTS[name])
