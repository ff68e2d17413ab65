"""What is found about a shared index: it is read, never repaired."""

from collections.abc import Iterator

from research_agent.assembly.diagnosis.findings import MB, Finding
from research_agent.assembly.diagnosis.models import EmbeddingLook
from research_agent.assembly.shared import storage_of
from research_agent.errors import IndexingError
from research_agent.index.adapters.shared.storage import Storage

PART = "index"
_TRIED = "rights.json"


def shared_findings(
    location: str, embedding: EmbeddingLook, command: str, *, offline: bool
) -> Iterator[Finding]:
    """Yield the findings on a shared index; raises IndexingError where it cannot be reached."""
    from research_agent.index.adapters.shared.generations import holder
    from research_agent.index.adapters.shared.reading import SharedReader

    storage = storage_of(location, offline=offline)
    reader = SharedReader(storage)
    state, kept = reader.state, reader.kept()
    versions = ", ".join(f"{name} {version}" for name, version in sorted(state.versions.items()))
    yield Finding(
        "ok",
        PART,
        f"{location}: {state.documents} documents, {state.chunks} chunks, {state.vectors} vectors "
        f"of {state.dimension} numbers, generation {state.number}, "
        f"{storage.bytes_on_disk() / MB:,.1f} MB",
    )
    yield Finding("ok", PART, f"versions of its tables: {versions}")
    if not storage.is_local:
        what = f"it is on other machines: what is indexed is kept at {storage.url}"
        yield Finding("note", PART, what)
    counts = {
        "documents": (len(kept), state.records),
        "chunks": (reader.table("chunks").count_rows(), state.chunks),
    }
    if state.dimension:
        counts["vectors"] = (reader.table("vectors").count_rows(), state.vectors)
    wrong = [f"{n} {name}, not {told}" for name, (n, told) in counts.items() if n != told]
    if wrong:
        what = f"its tables hold {', '.join(wrong)}"
        yield Finding("fault", PART, what, f"{command} --rebuild PATH")
    if embedding.model and embedding.model != state.model:
        what = f"{location} was made with the embedding model {state.model}, the settings name "
        cure = f"{command} --rebuild PATH, or choose {state.model} in models.embedding"
        yield Finding("fault", PART, what + embedding.model, cure)
    if writer := holder(storage):
        yield Finding("note", PART, f"it is being written, or was, by {writer}")
    yield _rights(storage)


def _rights(storage: Storage) -> Finding:
    try:
        storage.put(_TRIED, b"{}")
        storage.delete([_TRIED])
    except IndexingError as error:
        return Finding("note", PART, f"it may be read, not written: {error}")
    return Finding("ok", PART, "it may be read and written")
