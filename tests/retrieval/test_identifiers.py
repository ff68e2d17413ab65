"""What has the shape of an identifier in a query."""

import time

import pytest

from research_agent.retrieval.search.identifiers import identifiers


@pytest.mark.parametrize(
    ("word", "is_one"),
    [("ML-KEM-768", True), ("_main", True), ("2a.b3", True), ("256-bit", False), ("2024", False)],
)
def test_a_low_line_or_a_digit_after_a_letter(word: str, *, is_one: bool) -> None:
    assert ((word,) if is_one else ()) == identifiers(f"What is {word}?")


@pytest.mark.parametrize("word", ["a" * 100_000, "1a" * 50_000 + ".b", "1-" * 50_000])
def test_long_words_are_read_in_time(word: str) -> None:
    began = time.process_time()
    identifiers(word)
    assert time.process_time() - began < 5
