"""The vectors of the last texts are kept: a query is embedded once a question."""

from research_agent.assembly.known_vectors import RECENT, RecentEmbedder
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
