"""The vectors of the last texts are kept: a query is embedded once a question."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from research_agent.assembly.known_vectors import RECENT, RecentEmbedder
from research_agent.errors import ModelUnavailableError
from tests.fakes import WordEmbedder, embedding


def test_the_same_text_is_embedded_once() -> None:
    """Each text has its own vector, in the order of asking, also where some are known."""
    words = WordEmbedder()
    recent = RecentEmbedder(words)
    recent.embed(["bread"])

    assert [embedding(text) for text in ("rye", "bread", "rye")] == recent.embed(
        ["rye", "bread", "rye"]
    )
    assert ["bread", "rye"] == words.asked
    assert ("words", []) == (recent.name, recent.embed([]))


def test_few_are_kept() -> None:
    """The oldest go first."""
    words = WordEmbedder()
    recent = RecentEmbedder(words)
    texts = [f"text {n}" for n in range(RECENT + 1)]
    recent.embed(texts)
    recent.embed([texts[-1], texts[0]])

    assert [*texts, texts[0]] == words.asked


def test_a_failure_is_not_kept() -> None:
    """The next try asks again."""

    class Once(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if self.asked:
                return super().embed(texts)
            self.asked.append("failed")
            raise ModelUnavailableError("down")

    recent = RecentEmbedder(Once())
    with pytest.raises(ModelUnavailableError):
        recent.embed(["bread"])

    assert [embedding("bread")] == recent.embed(["bread"])


def test_threads_may_share_it() -> None:
    """However many texts go through it at once."""
    recent = RecentEmbedder(WordEmbedder())
    texts = [[f"text {n}", f"text {n + 1}"] for n in range(300)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(recent.embed, texts))

    assert [[embedding(text) for text in pair] for pair in texts] == found
