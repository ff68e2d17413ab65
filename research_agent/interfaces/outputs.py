"""What searches and look-ups give back as JSON, for schemas."""

from typing import Any

from typing_extensions import TypedDict

Json = dict[str, Any]


class ChunkRow(TypedDict):
    """A chunk with its place and its references."""

    chunk_id: str
    doc_id: str
    title: str
    source: str
    place: str
    start_page: int
    end_page: int
    section: list[str]
    kind: str
    score: float
    similarity: float | None
    text: str
    references: list[Json]


class SearchOutput(TypedDict):
    """What `search_chunks` gives back."""

    total_found: int
    files_searched: int
    search_time_ms: float
    filtering_stats: Json
    chunks: list[ChunkRow]
    notes: list[str]


class ChunksOutput(TypedDict):
    """What `get_chunks` gives back."""

    requested: int
    expanded: int
    unknown: list[str]
    depths: dict[str, int]
    truncated: bool
    tokens: int
    chunks: list[ChunkRow]


class DocumentsOutput(TypedDict):
    """What `list_documents` gives back."""

    documents: list[Json]
    outline: str
