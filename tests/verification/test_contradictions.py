"""A number is contradicted only by another one in the same place."""

import pytest

from research_agent.text.hard_facts import hard_facts
from research_agent.types import Chunk
from research_agent.verification.grounding import contradicted

TABLE = Chunk(
    "t",
    "guide",
    "Table 3. Sizes\n | key | ciphertext\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088",
    kind="table",
)


BREAD = "Bread is baked at 230 degrees."
HOT = "Bread is baked at 250 degrees."
LOCKED = "The shed is locked at 22:30 every night."
OFFER = Chunk("x", "offers", "A kiln is insured up to 500 euros.", section=("Three offers",))
IN_INDONESIAN = "Roti dipanggang pada suhu {} derajat."


@pytest.mark.parametrize(
    ("sentence", "text", "found"),
    [
        (HOT, f"Our b{BREAD[1:]}", "230"),
        (IN_INDONESIAN.format(250), IN_INDONESIAN.format(230), "230"),
        (HOT, "Bread is baked: 230 degrees.", "230"),
        # the same time and years in other print
        ("The shed is locked at 22.30 every night.", LOCKED, ""),
        ("The shed is locked at 22.45 every night.", LOCKED, "22:30"),
        ("The season 1998/99 was cold.", "The season 1998-1999 was cold.", ""),
        # the same row and column of a table
        ("The ML-KEM-768 key has 1185 bytes.", TABLE, "1184"),
        ("The ML-KEM-768 ciphertext has 1185 bytes.", TABLE, "1088"),
        ("The ML-KEM-1024 key has 1185 bytes.", TABLE, ""),
        # another thing, another unit, a number that is there as well, or about as large
        (HOT, "Kilns are fired at 230 degrees.", ""),
        ("Bread is baked for 250 seconds.", BREAD, ""),
        (HOT, f"{BREAD} Use 250 ml.", ""),
        ("Bread is baked at about 230 degrees.", "Bread is baked at 228 degrees.", ""),
        (
            "The moor dries out at 0.7 centimetres a year.",
            "In this year the water table stood 11 centimetres below that of last year.",
            "",
        ),
        ("Bread is baked.", BREAD, ""),
        ("The three offers add up to 900 euros.", OFFER, ""),
    ],
)
def test_another_number_in_the_same_place(sentence: str, text: str | Chunk, found: str) -> None:
    chunk = Chunk("x", "guide", text) if isinstance(text, str) else text
    facts = hard_facts(sentence, [chunk.text], window=chunk.text)
    other = contradicted(sentence, chunk, facts)

    assert found == (other.found if other else "")


def test_both_numbers_and_their_place_are_told() -> None:
    text = f"It rains. {BREAD}"
    other = contradicted(HOT, Chunk("x", "guide", text), hard_facts(HOT, [text], window=text))

    assert other
    assert ("250", BREAD) == (other.said, other.quote.quote)
