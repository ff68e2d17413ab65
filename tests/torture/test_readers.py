"""Questions beside a writer: each is answered from one published index, and none fails."""

import subprocess
import sys
from pathlib import Path

import pytest

from research_agent.assembly.index import LatestIndex, open_index
from tests.fakes import WordEmbedder, embedding
from tests.torture.child import run, settings

WRITER = """
import sys
from pathlib import Path
from tests.torture.child import run
docs, location, chroma = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
for turn in range(8):
    for name in "ab":
        (docs / f"{name}.txt").write_text(f"{turn} is the turn of {name}.")
    run(str(docs), location, chroma=chroma, rebuild=turn == 5)
"""


@pytest.mark.parametrize("chroma", [False, True])
def test_readers_see_whole_updates(tmp_path: Path, chroma: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Both documents are of one turn, whatever the writer does; turns only go up."""
    docs, location = tmp_path / "docs", str(tmp_path / "index")
    docs.mkdir()
    for name in "ab":
        (docs / f"{name}.txt").write_text(f"0 is the turn of {name}.")
    run(str(docs), location, chroma=chroma, rebuild=False)
    wanted = settings(chroma=chroma)
    latest = LatestIndex(lambda: open_index(location, wanted, embedder=WordEmbedder()))
    command = [sys.executable, "-c", WRITER, str(docs), location, str(chroma)]
    seen = []
    with subprocess.Popen(command) as writer:
        while writer.poll() is None:
            hits = latest.search(embedding("whose turn is it"), k=5)
            texts = [chunk.text for chunk in latest.chunks([hit.chunk_id for hit in hits])]
            assert latest.lexical.search("turn", k=5)
            assert 1 >= len({text[0] for text in texts})
            seen += [int(text[0]) for text in texts[:1]]
        assert 0 == writer.returncode
    latest.search(embedding("whose turn is it"), k=5)
    assert 2 == len(latest.lexical.search("7 turn", k=5))
    assert sorted(seen) == seen
    assert len(set(seen)) > 1
    latest.close()
