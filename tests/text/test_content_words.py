"""Words are compared without tables of any language."""

import pytest

from research_agent.text.content_words import content_words, share_held, wanted_words


@pytest.mark.parametrize(
    ("text", "other", "least", "most"),
    [
        ("Keys encapsulated", "encapsulation of the keys", 1.0, 1.0),
        ("Kuncinya", "kuncinyalah", 1.0, 1.0),
        ("ML-KEM-768", "ML KEM 768", 1.0, 1.0),
        ("ML-KEM-768", "ML-KEM-512", 0.0, 0.0),
        ("密钥长度为1184字节", "该密钥的长度是1184字节。", 0.51, 0.99),
        ("!!! …", "a text", 0.0, 0.0),
        ("text", "", 0.0, 0.0),
    ],
)
def test_share_of_words_held(text: str, other: str, least: float, most: float) -> None:
    """Endings do not matter; a compound is one word; scripts without spaces go by pairs."""
    assert least <= share_held(text, content_words(other)) <= most
    assert 1 == len(wanted_words("ML-KEM-768"))


def test_numbers_in_any_typography_are_the_same() -> None:
    assert (
        content_words("1,184") == content_words("1184") == content_words("\u0661\u0661\u0668\u0664")
    )
