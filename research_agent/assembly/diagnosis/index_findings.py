"""Facts about one index to findings."""

from collections.abc import Iterator
from shlex import quote

from research_agent.assembly.diagnosis.facts import (
    CacheFacts,
    EmbeddingFacts,
    Finding,
    IndexFacts,
)

PART = "index"


def index_findings(facts: IndexFacts, embedding: EmbeddingFacts | None) -> Iterator[Finding]:
    """Yield what is to be said about an index, used with the embedding model of the settings."""
    if facts.problem:
        cure = facts.problem.cure or f"{facts.command} PATH"
        yield Finding("fault", PART, facts.problem.what, cure)
        return
    header = facts.header
    yield Finding(
        "ok",
        PART,
        f"{facts.label}: {header.documents} documents, {header.chunks} chunks, {facts.vectors} "
        f"vectors of {header.dimension} numbers, generation {header.generation}, "
        f"{facts.bytes_on_disk / 1e6:,.1f} MB",
    )
    yield from _contents(facts)
    if embedding and embedding.model:
        yield _match(facts, embedding)
    yield _cache(facts, "word index", facts.words, header.chunks)
    if facts.dense:
        yield _cache(facts, "vector cache", facts.dense, facts.vectors)
    else:
        yield Finding("ok", PART, "its vectors are compared one by one, without a cache")
    yield from _interrupted(facts)
    yield from _references(facts)
    yield from _sources(facts)


def _contents(facts: IndexFacts) -> Iterator[Finding]:
    """Yield what is wrong with what the ledger holds."""
    if not facts.header.documents:
        yield Finding("warning", PART, f"{facts.label} holds no document", f"{facts.command} PATH")
    if facts.vectors < facts.header.chunks:
        yield Finding(
            "fault",
            PART,
            f"the ledger holds {facts.vectors} vectors for {facts.header.chunks} chunks",
            f"{facts.command} --rebuild {_folder(facts)}",
        )


def _match(facts: IndexFacts, embedding: EmbeddingFacts) -> Finding:
    """Compare the model that the index was made with to the one of the settings."""
    header = facts.header
    rebuild = f"{facts.command} --rebuild {_folder(facts)}"
    if header.model != embedding.model:
        return Finding(
            "fault",
            PART,
            f"{facts.label} was made with the embedding model {header.model}, the settings name "
            f"{embedding.model}",
            f"{rebuild}, or choose {header.model} in models.embedding",
        )
    if embedding.dimension and header.dimension not in (0, embedding.dimension):
        return Finding(
            "fault",
            PART,
            f"the vectors of {facts.label} have {header.dimension} numbers, those of the embedding "
            f"model {embedding.dimension}",
            rebuild,
        )
    return Finding("ok", PART, f"made with the embedding model of the settings, {header.model}")


def _cache(facts: IndexFacts, name: str, cache: CacheFacts, expected: int) -> Finding:
    """Compare a cache to the ledger: it can be read, shows this generation, and all of it."""
    anew = f"{facts.command} {_folder(facts)}"
    if cache.crashes:
        what = f"the {name} cannot be opened: {cache.problem}"
        return Finding("fault", PART, what, f"rm -r {quote(cache.place)} && {anew}")
    if facts.writer:
        return Finding("note", PART, f"the {name} was not looked at while the index is written")
    if cache.problem:
        return Finding("warning", PART, cache.problem, anew)
    if cache.generation != facts.header.generation:
        what = f"the {name} shows generation {cache.generation}, not {facts.header.generation}"
        return Finding("warning", PART, what, anew)
    if cache.entries != expected:
        what = f"the {name} has {cache.entries} entries, the ledger {expected}"
        return Finding("fault", PART, what, f"rm -r {quote(cache.place)} && {anew}")
    return Finding("ok", PART, f"the {name} is current: {cache.entries} entries, like the ledger")


def _interrupted(facts: IndexFacts) -> Iterator[Finding]:
    """Yield what a run that did not end by itself left behind."""
    if facts.writer:
        yield Finding("note", PART, f"it is being written by {facts.writer}")
        return
    if facts.pending:
        what = f"an indexing run was interrupted: {facts.pending} documents wait to be published"
        yield Finding("warning", PART, what, f"{facts.command} {_folder(facts)}")
    if facts.leftovers:
        what = f"an interrupted run left files behind: {', '.join(facts.leftovers)}"
        yield Finding("note", PART, what, f"{facts.command} {_folder(facts)}")


def _references(facts: IndexFacts) -> Iterator[Finding]:
    """Yield how much of what the documents refer to is not there."""
    if facts.dangling:
        what = f"{facts.dangling} references in {facts.dangling_in} of its documents lead nowhere"
        yield Finding("note", PART, what, facts.command.replace(" index", " documents", 1))


def _sources(facts: IndexFacts) -> Iterator[Finding]:
    """Compare the files as they are to what was read of them."""
    sources, update = facts.sources, f"{facts.command} {_folder(facts)}"
    if not sources.files:
        return
    if sources.gone == sources.files:
        yield Finding(
            "warning",
            PART,
            f"none of its {sources.files} files is there any more, below {sources.folder}",
            f"Bring the folder back, or remove the index: research-agent index --remove "
            f"{facts.label}",
        )
    elif sources.gone or sources.changed:
        what = f"{sources.gone} of its {sources.files} files are gone, {sources.changed} changed"
        yield Finding("note", PART, what, update)
    else:
        yield Finding("ok", PART, f"its {sources.files} files are there, and as they were read")


def _folder(facts: IndexFacts) -> str:
    """Return the folder that the documents came from, for a command."""
    return quote(facts.sources.folder) if facts.sources.folder else "PATH"
