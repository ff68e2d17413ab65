"""References from files on disk to what readers, the list of documents and the doctor say."""

from pathlib import Path

import pytest

from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from tests.interfaces.commands import printed, run

GUIDE = """# Harbour Guide

Read [the rules](my%20rules.md#mooring) and Section 2.1. See [gone](gone.md), [no](#nowhere).

## 2.1 Tide Gauge

It is read daily, as the Pilot Book says. [Page](page%23one.html#note).
"""
RULES = "# Rules\n\n## Mooring\n\nTwo lines. Back to [the guide](./harbour.md)."
PAGE = "<title>Pilot Book</title><p>One.<h2 id=note>Note</h2><p>Two, <a href='harbour'>three</a>."


def edges() -> set[tuple[str, str, str]]:
    """Return all references of the index, chunks by their first lines."""
    with LedgerReader(locate("").current().ledger, "default") as ledger:
        known = ledger.chunks(list(ledger.chunk_digests()))
        names = {chunk.chunk_id: chunk.text.split("\n")[0] for chunk in known}
        found = ledger.edges(list(names))
        return {(names[edge.source], names[edge.target], edge.kind) for edge in found}


@pytest.mark.usefixtures("data_home")
def test_references_lead_from_chunk_to_chunk_and_what_leads_nowhere_is_told(tmp_path: Path) -> None:
    """Links, numbers and titles, names with marks and spaces; told until it is mended."""
    for name, text in {"harbour.md": GUIDE, "my rules.md": RULES, "page#one.html": PAGE}.items():
        (tmp_path / name).write_text(text)
    done = run("index", str(tmp_path))
    (guide,) = (item for item in printed(run("documents", "--json")) if "harbour" in item["path"])

    assert {
        ("Harbour Guide", "Mooring", "link"),
        ("Harbour Guide", "2.1 Tide Gauge", "see"),
        ("2.1 Tide Gauge", "Note", "link"),
        ("2.1 Tide Gauge", "One.", "mention"),
        ("Mooring", "Harbour Guide", "link"),
        ("Note", "Harbour Guide", "link"),
    } == edges()
    told = next(line for line in done.stdout.splitlines() if "harbour.md" in line)
    assert told.endswith("leads nowhere: #nowhere; 1 reference leads out of the index: gone.md")
    assert "harbour.md" not in run("index", str(tmp_path)).stdout
    assert "    warning: 1 reference leads nowhere: #nowhere" in run("documents").stdout
    assert ["gone.md"] == guide["unresolved"]["outside_names"]
    (tmp_path / "gone.md").write_text("# Gone\n\nNot any more.")
    run("index", str(tmp_path))
    assert "out of the index" not in run("documents").stdout
    assert ("Harbour Guide", "Gone", "link") in edges()
    doctor = run("doctor", "--no-models").stdout
    assert "1 references in 1 of its documents lead nowhere" in doctor
    (tmp_path / "harbour.md").write_text(GUIDE.replace("#nowhere", "#21-tide-gauge"))
    assert "leads" not in run("index", str(tmp_path)).stdout + run("documents").stdout
