"""Facts about an index: read, never repaired."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from research_agent.assembly.diagnosis.facts import CacheFacts, IndexFacts, Problem, SourceFacts
from research_agent.assembly.index_search import is_exact
from research_agent.errors import IndexingError, PathError
from research_agent.index.adapters.folders import DEFAULT, IndexFolder, locate
from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors.chroma import shown_generation
from research_agent.index.adapters.vectors.looking import look


def index_facts(location: str, *, exact_below: int) -> IndexFacts:
    """Return what is known about the index at `location`; raises nothing of ours.

    Few vectors (`is_exact`) are compared one by one, and have no cache.
    """
    option = "" if location in ("", DEFAULT) else f" --index {quote(location)}"
    facts = IndexFacts(
        label=location or DEFAULT,
        command=f"research-agent index{option}",
    )
    try:
        folder = locate(location)
        with LedgerReader(folder.ledger, folder.label) as ledger:
            dangling = _dangling(folder)
            facts = replace(
                facts,
                header=ledger.header(),
                vectors=ledger.vector_count(),
                pending=ledger.pending(),
                dangling=sum(dangling),
                dangling_in=len(dangling),
                sources=_sources(ledger.files()),
            )
    except (IndexingError, PathError) as error:
        return replace(facts, problem=Problem(str(error), error.hint))
    writer = folder.writer()
    dense = None
    dimension = facts.header.dimension if facts.header else 0
    if not is_exact(facts.vectors, dimension, exact_below):
        place = CacheFacts(place=str(folder.vectors))
        dense = place if writer else _dense(place, folder)
    return replace(
        facts,
        words=_words(folder),
        dense=dense,
        leftovers=folder.leftovers(),
        writer=writer,
        bytes_on_disk=folder.bytes_on_disk(),
    )


def _dangling(folder: IndexFolder) -> list[int]:
    """Return how many references dangle in each document that has some."""
    kept = all_documents(folder.ledger, folder.label)
    counts = (item.record.unresolved.dangling for item in kept if item.record.published)
    return [count for count in counts if count]


def _words(folder: IndexFolder) -> CacheFacts:
    facts = CacheFacts(place=str(folder.words))
    try:
        with WordIndex(folder.words) as words:
            return replace(facts, generation=words.generation(), entries=words.count())
    except IndexingError as error:
        return replace(facts, problem=str(error))


def _dense(facts: CacheFacts, folder: IndexFolder) -> CacheFacts:
    """Look at Chroma's files in another process; those that are not as noted are not opened."""
    facts = replace(facts, generation=shown_generation(folder.vectors))
    if not facts.generation:
        return facts
    seen = look(folder.vectors)
    return replace(facts, entries=seen.vectors, problem=seen.problem, crashes=seen.crashed)


def _sources(files: Sequence[tuple[str, int, int]]) -> SourceFacts:
    """Compare files to what was noted when they were read."""
    states = [_state(*file) for file in files]
    return SourceFacts(
        folder=_common([path for path, _, _ in files]),
        files=len(files),
        gone=states.count("gone"),
        changed=states.count("changed"),
    )


def _state(path: str, size: int, mtime_ns: int) -> str:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return "gone"
    return "" if (found.st_size, found.st_mtime_ns) == (size, mtime_ns) else "changed"


def _common(paths: Sequence[str]) -> str:
    """Return the folder that all files are below; empty where there is none."""
    try:
        return os.path.commonpath([str(Path(path).parent) for path in paths])
    except ValueError:  # (no files, or files on several disks)
        return ""
