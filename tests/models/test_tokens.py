"""Tokens are counted offline, and no text is taken for a special token."""

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters import tokens
from research_agent.models.adapters.tokens import Cl100k


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),  # (OpenAI's own example)
        ("antidisestablishmentarianism", 6),  # (OpenAI's own example)
        ("2 + 2 = 4", 7),  # (OpenAI's own example)
        ("<|endoftext|>", 7),
        ("\ud800", 1),
    ],
)
def test_tokens_are_counted(text: str, expected: int) -> None:
    """Counts are those of cl100k_base; a special token's name is ordinary text."""
    assert expected == Cl100k().count(text)


@pytest.mark.parametrize(("name", "value"), [("_SHA256", "0" * 64), ("_RANKS", "no-such-file")])
def test_other_ranks_are_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """A data file that is missing or has another digest counts nothing."""
    monkeypatch.setattr(tokens, name, value)
    with pytest.raises(ModelMissingError, match="not the expected file"):
        tokens._encoder.__wrapped__()  # noqa: SLF001 (without the cache)
