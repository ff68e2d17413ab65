"""Only the same row and column of two documents can conflict."""

from dataclasses import replace

from research_agent.core.row_conflicts import row_conflicts
from research_agent.core.types import Chunk

OLD = Chunk("a", "2023", "Sizes\n | key | text\nML-KEM-768 | 1,184 | 1088\nX | 1 | 2", kind="table")
SAID = "The key of ML-KEM-768 has 1184 bytes."


def values(sentence: str, text: str, *, doc_id: str = "2024") -> list[tuple[str, str]]:
    new = replace(OLD, chunk_id="b", doc_id=doc_id, text=text)
    found = row_conflicts(sentence, {"c1": OLD, "c2": new})
    return [(one.value, one.other_value) for one in found]


def test_another_number_in_the_same_cell() -> None:
    """Told with both."""
    assert [("1,184", "1185")] == values(SAID, " | key | text\nML-KEM-768 | 1185 | 1088")


def test_what_is_no_conflict() -> None:
    """The same number, another row or column, a cell that is not named, the same document."""
    assert [] == values(SAID, " | key | text\nML-KEM-768 | 1184 | 7")
    assert [] == values(SAID, " | key | text\nML-KEM-512 | 800 | 768")
    assert [] == values(SAID, " | secret key | text\nML-KEM-768 | 2400 | 1088")
    assert [] == values(SAID, " | key | text\nML-KEM-768 | unknown | 1088")
    assert [] == values("It rains.", " | key | text\nML-KEM-768 | 1185 | 1088")
    assert [] == values(SAID, " | key | text\nML-KEM-768 | 1185 | 1088", doc_id="2023")
