"""What is read, and how it is kept."""

from dataclasses import dataclass
from typing import Annotated

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSettings:
    """Which files are read, and how they are cut."""

    include: tuple[str, ...] = ()
    """Globs of files to read, relative to the named folder; empty: every known format."""
    exclude: tuple[str, ...] = ()
    """Globs of files to leave alone."""
    gitignore: bool = True
    """Leave alone what a .gitignore names."""
    max_file_mb: Annotated[float, Range(0.001, 4096, "MB")] = 100.0
    """A larger file is skipped."""
    chunk_chars: Annotated[int, Range(200, 8000, "characters")] = 1000
    """Length that a chunk of running text aims at."""
    parse_seconds: Annotated[float, Range(1, 3600, "seconds")] = 120.0
    """Time one file may take to be read."""
    parse_memory_mb: Annotated[int, Range(256, 65536, "MB")] = 2048
    """Memory that reading files may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """How the index is kept."""

    exact_below: Annotated[int, Range(0, 1_000_000, "vectors")] = 100_000
    """Up to this many vectors, and 400 MB of them in memory, a search is exact; above: HNSW."""
