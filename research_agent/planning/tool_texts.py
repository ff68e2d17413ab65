"""The tools' results as a model reads them, and as JSON values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from research_agent.types import Hit
from research_agent.types.calls import ChunksResult, DocumentsResult, Reference, SearchResult
from research_agent.types.evidence import fenced, place, readable
from research_agent.types.filtering import FilterStats

READ_TOKENS = 8000
"""Tokens of chunks that a model is shown for one call; whole chunks, as they are ordered."""
PREVIEW = 160
"""Characters of a chunk that a search shows."""
SHOWN_REFERENCES = 3
"""References of a chunk that a search shows."""


def search_text(result: SearchResult) -> str:
    """Return a search's result as a model reads it: a line a chunk, with its id."""
    if not result.hits:
        return f"nothing found in {result.files_searched} documents"
    lines = [
        f"{number}. [{hit.chunk.chunk_id}] ({_place(hit)}; {hit.chunk.kind}): "
        f"{_preview(hit)}{_refers(result.references.get(hit.chunk.chunk_id, ()))}"
        for number, hit in enumerate(result.hits, start=1)
    ]
    expanded = min(result.stats.expanded, len(lines))
    head = f"{len(lines) - expanded} of {result.total_found} chunks found"
    head += f" in {result.files_searched} documents"
    more = f", and {expanded} that they refer to" if expanded else ""
    why = f" (not all judged by a model: {result.stats.fallback})" if result.stats.fallback else ""
    note = discarded_note(result.stats)
    return "\n".join([f"{head}{more}{why}", *filter(None, [note]), *lines])


def chunks_text(result: ChunksResult, *, count: Callable[[str], int]) -> str:
    """Return chunks with their whole text, as many as a model can be shown at once."""
    parts = [unknown_ids(result.unknown)] if result.unknown else []
    if not result.hits:
        return "\n".join(parts) or "no chunk was asked for"
    left = READ_TOKENS
    for number, hit in enumerate(result.hits):
        where, text = _place(hit).replace('"', "'"), fenced(readable(hit.chunk))
        whole = f'<chunk key="{hit.chunk.chunk_id}" source="{where}">\n{text}\n</chunk>'
        left -= count(whole)
        if left < 0 and number:
            rest = ", ".join(hit.chunk.chunk_id for hit in result.hits[number:][:20])
            parts.append(f"({len(result.hits) - number} more chunks; ask for them: {rest})")
            break
        parts.append(whole)
    more = "; there is more behind max_total_chunks" if result.truncated else ""
    head = f"{result.requested} chunks asked for, {result.expanded} that they refer to{more}"
    return "\n".join([head, *parts])


def unknown_ids(unknown: Sequence[str]) -> str:
    """Return which ids are not known, in words; empty where all are."""
    keys = ", ".join(repr(chunk_id[:80]) for chunk_id in unknown[:20])
    return f"no chunk has the key {keys}: take keys from a search's result" if keys else ""


def discarded_note(stats: FilterStats) -> str:
    """Return what a model that searches reads where all hits were discarded; empty otherwise."""
    if not stats.all_discarded:
        return ""
    return (
        f"none of the {stats.discarded} hits was judged to help; "
        "the best are shown all the same: try other words"
    )


def search_json(result: SearchResult) -> dict[str, object]:
    """Return a search's result as JSON values."""
    return {
        "total_found": result.total_found,
        "files_searched": result.files_searched,
        "search_time_ms": result.search_time_ms,
        "filtering_stats": asdict(result.stats),
        "chunks": [_row(hit, result.references) for hit in result.hits],
        "notes": list(result.event.notes),
    }


def chunks_json(result: ChunksResult) -> dict[str, object]:
    """Return chunks as JSON values, in the order of `hits`."""
    return {
        "requested": result.requested,
        "expanded": result.expanded,
        "unknown": list(result.unknown),
        "depths": {str(depth): number for depth, number in result.depths.items()},
        "truncated": result.truncated,
        "tokens": result.tokens,
        "chunks": [_row(hit, result.references) for hit in result.hits],
    }


def documents_json(result: DocumentsResult) -> dict[str, object]:
    """Return the documents as JSON values."""
    return {
        "documents": [asdict(item) | {"chunks": item.chunks} for item in result.documents],
        "outline": result.outline,
    }


def _row(hit: Hit, references: Mapping[str, tuple[Reference, ...]]) -> dict[str, object]:
    chunk = hit.chunk
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "source": chunk.source,
        "place": place(chunk),
        "start_page": chunk.start_page,
        "end_page": chunk.end_page,
        "section": list(chunk.section),
        "kind": chunk.kind,
        "score": hit.score,
        "similarity": hit.similarity,
        "text": chunk.text,
        "references": [asdict(reference) for reference in references.get(chunk.chunk_id, ())],
    }


def _place(hit: Hit) -> str:
    return " ".join(fenced(place(hit.chunk)).split())


def _preview(hit: Hit) -> str:
    text = " ".join(hit.chunk.text.split())
    more = "\N{HORIZONTAL ELLIPSIS}" if len(text) > PREVIEW else ""
    return fenced(text[:PREVIEW] + more)


def _refers(references: Sequence[Reference]) -> str:
    """Return where a chunk's first references lead, empty where it has none."""
    if not references:
        return ""
    shown = "; ".join(fenced(item.place) for item in references[:SHOWN_REFERENCES])
    more = len(references) - SHOWN_REFERENCES
    return f" [refers to: {shown}{f'; and {more} more' if more > 0 else ''}]"
