"""Labels, by which the files of one book refer to each other without naming a file."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.types.documents import Block


def own_links(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return blocks without links to labels that none of them has: another file may have those."""
    own = {anchor for block in blocks for anchor in block.anchors}
    return tuple(
        replace(
            block,
            links=tuple(x for x in block.links if not x.target.startswith("#") or x.target in own),
        )
        for block in blocks
    )
