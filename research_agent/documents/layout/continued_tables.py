"""Tables that go on over the end of a page: their rows there get the head they lack."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from research_agent.documents.layout.page_tables import is_caption
from research_agent.text.tables import cells, head_of
from research_agent.types.documents import Block


def with_heads(pages: Iterable[Iterable[Block]]) -> Iterator[Block]:
    r"""Yield the blocks of all pages; a table that goes on has caption and head on each page.

    A table goes on where it ends one page and begins the next, in one section and with as many
    columns. A page that repeats the head, or has a caption, is left as it is.

    >>> first = Block("Table 1. Sizes\n | key | text\nA | 8 | 9", 1, kind="table")
    >>> print([*with_heads([[first], [Block("B | 7 | 6", 2, kind="table")]])][1].text)
    Table 1. Sizes
     | key | text
    B | 7 | 6
    """
    before: Block | None = None
    for page in pages:
        blocks = list(page)
        if before and blocks and blocks[0].kind == "table":
            blocks[0] = _continued(before, blocks[0])
        yield from blocks
        before = blocks[-1] if blocks and blocks[-1].kind == "table" else None


def _continued(before: Block, table: Block) -> Block:
    """Return a table with the head of the one before it, if it goes on with that."""
    head = head_of(before.text)
    first = table.text.split("\n", 1)[0]
    names = cells(head.rpartition("\n")[2])
    if not names or before.section != table.section or is_caption(first):
        return table
    if len(cells(first)) != len(names) or cells(first) == names:
        return table
    return replace(table, text=f"{head}\n{table.text}")
