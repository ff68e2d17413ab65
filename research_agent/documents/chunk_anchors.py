"""The anchors and links of a document's blocks, handed on to the chunks cut from them."""

from collections.abc import Sequence
from operator import itemgetter

from research_agent.types.documents import Block
from research_agent.types.references import ChunkLinks, Link

MOST_MISSED = 100
"""Links of a block whose words are not in its text; beyond, such words are not looked for."""
Carried = tuple[tuple[int, str | Link], ...]
"""An anchor or a link, and its offset in a text; sorted by offset."""
offset_of = itemgetter(0)


def of_block(block: Block, text: str) -> Carried:
    """Return the anchors and links of a block, links at the offset of their words in `text`."""
    carried: list[tuple[int, str | Link]] = [(0, anchor) for anchor in block.anchors]
    last = missed = 0
    for link in block.links:
        looked = bool(link.text) and missed < MOST_MISSED
        at = text.find(link.text, last) if looked else -1
        last = at + len(link.text) if at >= 0 else last
        missed += looked and at < 0
        carried.append((max(at, 0), link))
    return tuple(carried)


def shifted(carried: Carried, by: int) -> Carried:
    """Return the anchors and links with offsets `by` larger."""
    return tuple((offset + by, item) for offset, item in carried)


def dealt(carried: Carried, texts: Sequence[str]) -> tuple[Carried, ...]:
    """Return the anchors and links of each part of a text that was cut.

    A link goes to the first part that holds its words; what has no words to the first of all.
    """
    parts: list[list[tuple[int, str | Link]]] = [[] for _ in texts]
    first = missed = 0
    for _, item in carried:
        words = item.text if isinstance(item, Link) and missed < MOST_MISSED else ""
        held = (i for i in range(first, len(texts)) if words and words in texts[i])
        place = next(held, None)
        missed += bool(words) and place is None
        first = first if place is None else place
        parts[place or 0].append((0, item))
    return tuple(tuple(part) for part in parts)


def tied(number: int, place: int, count: int) -> Carried:
    """Return the anchor of part `place` of cut block `number`, and its links to other parts."""
    if count == 1:
        return ()
    others = sorted({0, place - 1, place + 1} & set(range(count)) - {place})
    links = (Link(f"part {number}.{other}", "part") for other in others)
    return ((0, f"part {number}.{place}"), *((0, link) for link in links))


def chunk_links(carried: Carried) -> ChunkLinks:
    """Return the anchors and links of a chunk in reading order, each once and without its words."""
    items = [item for _, item in sorted(carried, key=offset_of)]
    return ChunkLinks(
        anchors=tuple(dict.fromkeys(item for item in items if isinstance(item, str))),
        links=tuple(
            dict.fromkeys(Link(item.target, item.kind) for item in items if isinstance(item, Link))
        ),
    )
