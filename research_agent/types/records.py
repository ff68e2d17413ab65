"""What the index knows about a document, and what indexing hands over to be kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from research_agent.types import Chunk, ChunkKind
from research_agent.types.documents import SCANNED, ParseQuality
from research_agent.types.references import ChunkLinks, Unresolved

DocumentStatus = Literal["indexed", "skipped", "failed"]
"""Read and kept; read, but without any text; not readable."""


CHUNKING = 14
"""Version of how files become chunks and windows: documents of another one are read anew."""
_BROUGHT = (
    "exponents and indices (10^12, x_i), formulas, names of columns in tables, footnotes, "
    "numbers and levels of lists, lines of listings, struck-out text, tables with a total or below "
    "one another"
)
"""What this version brings to PDFs, web pages and office files."""


def brought(recipe: str) -> str:
    """Return what reading a document anew brings that was made with `recipe`; empty: nothing."""
    return "" if recipe.endswith(f"chunking={CHUNKING}") else _BROUGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """One document of the index, as it was when its file was last read."""

    key: str
    """Its identity: given at first sight, kept when it is renamed or changes."""
    path: str
    digest: str
    """SHA-256 of the file's content; "" where what is kept of it is seen to be damaged."""
    size: int
    mtime_ns: int
    recipe: str
    """The settings that its chunks depend on, to be compared and shown."""
    doc_id: str = ""
    """Display name; given when the index is published, because it depends on the others."""
    title: str = ""
    date: str = ""
    pages: int = 0
    """Last page that holds text."""
    status: DocumentStatus = "indexed"
    reason: str = ""
    chunks: int = 0
    published: bool = False
    """Whether readers see this version."""
    quality: ParseQuality | None = None
    """How well it could be read; None where it was read before this was kept."""
    unresolved: Unresolved = field(default_factory=Unresolved)
    """References of it that led nowhere when the index was published."""


def wants_ocr(record: DocumentRecord) -> bool:
    """Say whether a document has pages without text that OCR has not read."""
    scanned = record.status == "failed" and record.reason.startswith(SCANNED)
    return scanned or (record.quality is not None and record.quality.textless > 0)


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """A document that can be searched."""

    doc_id: str
    """Its display name."""
    source: str = ""
    """The path of its file."""
    title: str = ""
    date: str = ""
    pages: int = 0
    """Last page that holds text."""
    kinds: Mapping[ChunkKind, int] = field(default_factory=dict)
    """How many chunks there are of each kind."""
    sections: tuple[str, ...] = ()
    """Its uppermost headings, in reading order."""
    authors: tuple[str, ...] = ()
    """Who wrote it, as its file says."""
    doi: str = ""

    @property
    def chunks(self) -> int:
        """How many chunks it has."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document of the index beside what its chunks are."""

    record: DocumentRecord
    kinds: Mapping[ChunkKind, int]


@dataclass(frozen=True, slots=True)
class Window:
    """A text that was embedded: a whole chunk or a part of a long one, below its header."""

    digest: str
    """SHA-256 of the embedded text: what has the same one has the same vector."""
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk and what the indexes are made from."""

    chunk: Chunk
    digest: str
    """SHA-256 of header and text: what has the same one has the same words."""
    windows: tuple[Window, ...]
    links: ChunkLinks = field(default_factory=ChunkLinks)


@dataclass(frozen=True, slots=True)
class IndexHeader:
    """What an index says about itself."""

    model: str
    dimension: int
    """Length of its vectors; 0 before the first."""
    generation: int
    """Counts publications; 0: nothing can be read yet."""
    documents: int = 0
    chunks: int = 0
    changed: str = ""
    """When it was last published: ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Where indexing is: file `number` of `total`, `embedded` of its `texts` new texts done."""

    path: str
    number: int
    total: int
    embedded: int = 0
    texts: int = 0


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text: what has the same one has the same vector."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
