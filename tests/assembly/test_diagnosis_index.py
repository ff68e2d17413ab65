"""From facts about an index to findings."""

from dataclasses import replace

import pytest

from research_agent.assembly.diagnosis.facts import (
    CacheFacts,
    EmbeddingFacts,
    Finding,
    IndexFacts,
    Problem,
    SourceFacts,
)
from research_agent.assembly.diagnosis.findings import findings
from research_agent.types.records import IndexHeader
from tests.assembly.test_diagnosis_core import DENSE, EMBEDDING, INDEX, SOUND, worse


def of_index(index: IndexFacts, embedding: EmbeddingFacts = EMBEDDING) -> list[Finding]:
    return worse(replace(SOUND, index=index, embedding=embedding))


def test_index_that_cannot_be_read() -> None:
    """Its own hint, or the command that makes one; nothing else is said about it."""
    for problem, cure in (
        (Problem("damaged", "Make it anew."), "Make it anew."),
        (Problem("damaged"), "research-agent index --index notes PATH"),
    ):
        found = of_index(replace(INDEX, problem=problem))
        assert [Finding("fault", "index", "damaged", cure)] == found


def test_other_model_or_dimension_is_a_fault() -> None:
    """With the command that makes the index anew from its own folder, quoted."""
    rebuild = "research-agent index --index notes --rebuild '/my docs'"
    other = of_index(INDEX, EmbeddingFacts(model="bge-m3"))
    longer = of_index(INDEX, replace(EMBEDDING, dimension=768))

    assert [("fault", f"{rebuild}, or choose MiniLM in models.embedding")] == [
        (finding.level, finding.cure) for finding in other
    ]
    assert [("fault", rebuild)] == [(finding.level, finding.cure) for finding in longer]
    assert "768" in longer[0].what


def test_unknown_embedding_model_is_not_compared() -> None:
    """Where the settings name none that can be used, only that is the fault."""
    found = of_index(INDEX, EmbeddingFacts(model="", problem=Problem("no key", "Set it.")))

    assert ["embedding"] == [finding.part for finding in found]


ANEW = "research-agent index --index notes '/my docs'"


@pytest.mark.parametrize(
    ("changes", "level", "what", "cure"),
    [
        ({"generation": 3}, "warning", "shows generation 3, not 4", ANEW),
        ({"generation": 0, "entries": 0}, "warning", "shows generation 0, not 4", ANEW),
        ({"problem": "it cannot be used"}, "warning", "it cannot be used", ANEW),
        (
            {"entries": 8},
            "fault",
            "has 8 entries, the ledger 11",
            f"rm -r '/i/my vectors' && {ANEW}",
        ),
        (
            {"problem": "status -11", "crashes": True},
            "fault",
            "the vector cache cannot be opened: status -11",
            f"rm -r '/i/my vectors' && {ANEW}",
        ),
    ],
)
def test_caches(changes: dict[str, object], level: str, what: str, cure: str) -> None:
    """What a search does without is a warning; what it does not notice, or dies of, a fault."""
    dense = replace(DENSE, **changes)  # type: ignore[arg-type]  # (the test changes any field)
    found = of_index(replace(INDEX, dense=dense))

    assert [(level, cure)] == [(finding.level, finding.cure) for finding in found]
    assert what in found[0].what


def test_few_vectors_have_no_cache() -> None:
    """They are compared one by one, and that is said."""
    few = replace(SOUND, index=replace(INDEX, dense=None))

    assert [] == worse(few)
    assert "its vectors are compared one by one, without a cache" in [f.what for f in findings(few)]


def test_chunks_without_vectors_are_a_fault() -> None:
    """The ledger itself is not whole."""
    dense = replace(DENSE, entries=5)
    found = of_index(replace(INDEX, vectors=5, dense=dense))

    assert [("fault", "the ledger holds 5 vectors for 9 chunks")] == [
        (finding.level, finding.what) for finding in found
    ]


def test_interrupted_run() -> None:
    """What waits to be published, and files left behind, with the command to give again."""
    found = of_index(replace(INDEX, pending=3, leftovers=("writer.json",)))
    again = "research-agent index --index notes '/my docs'"

    assert [("warning", again), ("note", again)] == [(item.level, item.cure) for item in found]
    assert "3 documents" in found[0].what
    assert "writer.json" in found[1].what


def test_index_that_is_being_written() -> None:
    """What is unfinished belongs to a run that goes on."""
    writing = replace(INDEX, writer="process 7 (research-agent index)", pending=3, leftovers=("a",))
    unseen = CacheFacts(place="/i/cache")
    found = of_index(replace(writing, words=unseen, dense=unseen))

    assert ["note"] * 3 == [finding.level for finding in found]
    assert "process 7" in found[-1].what


@pytest.mark.parametrize(
    ("sources", "level", "what", "cure"),
    [
        (
            SourceFacts(folder="/d", files=2, gone=1),
            "note",
            "1 of its 2 files are gone",
            "index /d",
        ),
        (SourceFacts(folder="/d", files=2, changed=2), "note", "2 changed", "index /d"),
        (SourceFacts(folder="/d", files=2, gone=2), "warning", "below /d", "--remove notes"),
    ],
)
def test_files_of_an_index(sources: SourceFacts, level: str, what: str, cure: str) -> None:
    """An index outlives its files; a folder that is gone as a whole may be an unplugged disk."""
    plain = replace(INDEX, command="research-agent index", sources=sources)
    found = of_index(plain)

    assert [level] == [finding.level for finding in found]
    assert what in found[0].what
    assert cure in found[0].cure


def test_empty_index_is_a_warning() -> None:
    """It can be searched, and finds nothing."""
    nothing = CacheFacts(place="", generation=1)
    header = IndexHeader("MiniLM", 0, 1)
    empty = replace(INDEX, header=header, vectors=0, words=nothing, dense=nothing)
    found = of_index(replace(empty, sources=SourceFacts()))

    assert [("warning", "research-agent index --index notes PATH")] == [
        (finding.level, finding.cure) for finding in found
    ]
