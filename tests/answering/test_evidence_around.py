"""Parts of tables and algorithms, and neighbours."""

from research_agent.answering.select_evidence.evidence_around import (
    belonging,
    introduced,
    neighbours,
)
from research_agent.types import Chunk, ChunkKind


def part(order: int, text: str, kind: ChunkKind = "text", section: str = "A") -> Chunk:
    return Chunk(f"c{order}", "d", text, order=order, kind=kind, section=(section,))


def test_parts_of_a_table_are_those_with_its_head() -> None:
    """Without a gap, in the same section; another table is none."""
    head = "name | size | age"
    parts = [part(i, f"{head}\nrow {i} | 1 | 2", "table") for i in range(4)]
    other = part(4, "name | price | age\nx | 1 | 2", "table")
    elsewhere = part(4, parts[0].text, "table", "B")

    assert [parts[0], parts[2], parts[3]] == list(belonging(parts[1], [*parts, other]))
    assert [parts[2]] == list(belonging(parts[3], [parts[0], parts[2], elsewhere]))


def test_parts_of_an_algorithm_count_on() -> None:
    """Before and after; text that begins anew does not belong."""
    first, second, third = part(0, "1: a\n2: b"), part(1, "3: c\n4: d"), part(2, "1: x\n2: y")

    assert (second,) == belonging(first, [second, third])
    assert (first,) == belonging(second, [first, third])
    assert () == belonging(third, [first, second])


def test_nearest_neighbours_first() -> None:
    """What follows comes before what precedes; a window of 0 has none."""
    chunks = [part(i, str(i)) for i in range(5)]

    assert ["3", "1", "4", "0"] == [near.text for near in neighbours(chunks[2], chunks, 2)]
    assert () == neighbours(chunks[2], chunks, 0)


def test_a_lead_in_introduces_a_numbered_list() -> None:
    """Item by item, across sections, as long as the numbers count on; then it ends."""
    lead = part(0, "Given two parts, proceed as follows:")
    items = [part(i, f"{i}. Do {i}.\n1. First.", section=str(i)) for i in range(1, 4)]
    rest = [part(4, "Other schemes."), part(5, "4. Not of this list.")]

    assert items == list(introduced(lead, [*items, *rest]))
    assert [items[0]] == list(introduced(lead, [items[0], items[2]]))


def test_a_lead_in_introduces_what_is_no_list() -> None:
    """The next chunk alone; a chunk without a colon at its end introduces nothing."""
    lead, following = part(0, "It says\uff1a\n"), part(1, "Any system may do so.")

    assert (following,) == introduced(lead, [following, part(2, "More.")])
    assert () == introduced(following, [lead, part(2, "More.")])
    assert () == introduced(lead, [])
