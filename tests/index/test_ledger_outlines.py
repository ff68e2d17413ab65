"""What the ledger says of every document."""

from dataclasses import replace
from pathlib import Path

from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.outlines import top_sections
from research_agent.types.records import DocumentOutline
from tests.indexing import indexed, record


def test_outlines_of_published_documents(tmp_path: Path) -> None:
    """Names, sizes, kinds and top sections; what waits, or points elsewhere, is left out."""
    path = tmp_path / "ledger.sqlite3"
    sections = [("Guide",), ("Guide", "Install"), ("Guide", "Use"), ("Guide", "Install")]
    chunks = [
        indexed(f"c{i}", f"text {i}", section=section, order=i)
        for i, section in enumerate(sections)
    ]
    contents = indexed("c9", "contents", kind="contents", section=("Contents",), order=9)
    table = indexed("c5", "table", kind="table", section=("Guide", "Use", "Deep"), order=5)
    with LedgerWriter(path, "mine", model="words") as writer:
        kept = replace(record("a", "/docs/guide.md"), title="The guide", date="2024", pages=3)
        writer.put(kept, [*chunks, table, contents])
        writer.publish({}, [])
        writer.put(record("b", "/docs/waits.md"), [indexed("d0", "later")])
        with LedgerReader(path, "mine") as reader:
            found = reader.documents()

    assert (
        DocumentOutline(
            "guide",
            "/docs/guide.md",
            "The guide",
            "2024",
            3,
            {"text": 4, "table": 1},
            ("Install", "Use"),
        ),
    ) == found
    assert 5 == found[0].chunks


def test_top_sections_below_a_title() -> None:
    """A heading above everything is no section; one level is enough."""
    assert ("1 Scope", "2 Terms") == top_sections([("1 Scope",), ("2 Terms", "2.1 A"), ()])
    assert ("Install", "Use") == top_sections([("Guide",), ("Guide", "Install"), ("Guide", "Use")])
    assert ("Guide",) == top_sections([("Guide",)])
    assert () == top_sections([(), ()])
