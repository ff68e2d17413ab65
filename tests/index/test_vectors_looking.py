"""Chroma's files are counted in another process, and nothing in them ends this one."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from research_agent.index.adapters.vectors import looking
from research_agent.index.adapters.vectors.chroma import sync
from research_agent.index.adapters.vectors.looking import VectorsSeen, look, main, read

VECTORS = {f"chunk{number}#0": [1.0, float(number)] for number in range(3)}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chroma") / "vectors"
    digests = {name: name for name in VECTORS}
    sync(folder, 1, digests, lambda ids: [VECTORS[i] for i in ids])
    return folder


def test_vectors_are_counted_apart(written: Path) -> None:
    """The other process reads every vector."""
    assert VectorsSeen(3) == look(written)


def test_program_says_what_it_read(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line of JSON on stdout."""
    assert 0 == main(str(written))
    assert {"vectors": 3, "problem": ""} == json.loads(capsys.readouterr().out)


def test_fault_of_chroma_is_told(written: Path, tmp_path: Path) -> None:
    """A database that is none gives a reason, not an error."""
    broken = tmp_path / "vectors"
    shutil.copytree(written, broken)
    with sqlite3.connect(broken / "1" / "chroma.sqlite3") as database:
        database.execute("DROP TABLE collections")
    database.close()
    seen = read(broken)

    assert (0, False) == (seen.vectors, seen.crashed)
    assert "Chroma cannot use its files" in seen.problem
    assert VectorsSeen(problem="no generation of its files is whole") == read(tmp_path / "none")


@pytest.mark.parametrize(
    "program",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "print('no JSON')",
        "print('[]')",
        "raise SystemExit(3)",
    ],
)
def test_process_that_ends_is_told(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the other process, this one goes on and says so."""
    (tmp_path / "crashing.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(looking, "__name__", "crashing")
    seen = look(tmp_path)

    assert seen.crashed
    assert "ended with status" in seen.problem


def test_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its time it is ended, and that is told."""
    (tmp_path / "hanging.py").write_text("import time; time.sleep(60)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(looking, "__name__", "hanging")

    assert VectorsSeen(problem="not read within 0 s", crashed=True) == look(tmp_path, seconds=0.4)
