"""Whether what an older answer cites still stands in the documents."""

from collections.abc import Collection, Sequence
from typing import Literal

from research_agent.types import Chunk
from research_agent.types.conversation import Cited, chunk_digest

Standing = Literal["same", "changed", "vanished"]


def standing(
    citations: Sequence[Cited], chunks: Sequence[Chunk], documents: Collection[str]
) -> tuple[Standing, ...]:
    """Return for each citation whether its chunk is the same, or its document changed or went.

    `chunks` are those of the cited ones that the index still has, `documents` the display names
    of all its documents.

    >>> cited = Cited("c1", doc_id="guide", chunk_id="x", digest=chunk_digest(Chunk("x", "g", "a")))
    >>> standing([cited], [Chunk("x", "guide", "a")], {"guide"})
    ('same',)
    >>> standing([cited], [], {"guide"}), standing([cited], [], ())
    (('changed',), ('vanished',))
    """
    now = {chunk.chunk_id: chunk_digest(chunk) for chunk in chunks}
    return tuple(
        "same"
        if now.get(item.chunk_id) == item.digest
        else "changed"
        if item.doc_id in documents or item.chunk_id in now
        else "vanished"
        for item in citations
    )


def outdated(citations: Sequence[Cited], found: Sequence[Standing]) -> tuple[str, ...]:
    """Return a sentence for each citation that does not stand any more.

    >>> outdated([Cited("c1", "guide, page 2", "guide")], ["changed"])
    ('[c1] guide, page 2: the document has changed since this was answered.',)
    """
    said = {
        "changed": "the document has changed since this was answered.",
        "vanished": "the document is no longer in the index.",
    }
    return tuple(
        f"[{item.key}] {item.place}: {said[how]}"
        for item, how in zip(citations, found, strict=True)
        if how != "same"
    )
