"""Where indexes live, what is removed, and that there is one writer."""

import subprocess
import sys
from pathlib import Path

import pytest

from research_agent.errors import IndexingError, IndexLockedError, IndexMissingError, PathError
from research_agent.index.adapters.folders import home, locate, named_indexes

HOLDER = """
import sys
from research_agent.index.adapters.folders import locate
with locate(sys.argv[1]).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_names_live_in_the_data_folder(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain name is below the data folder, which the system has for programs without ours."""
    assert data_home / "indexes" / "notes" == locate("notes").path
    assert locate("default").path == locate("").path
    assert "default" == locate("").label
    monkeypatch.delenv("RESEARCH_AGENT_HOME")
    assert "research-agent" == home().name


@pytest.fixture(autouse=True)
def _own_data(data_home: Path) -> None:
    """Let no test of this file see the user's indexes."""


def test_paths_are_taken_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins with a dot or holds a separator is a path; a tilde is the home folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / "mine" == locate("./mine").path
    assert tmp_path / ".mine" == locate(".mine").path
    assert tmp_path / "a" / "b" == locate("a/b").path
    assert tmp_path / "mine" == locate("~/mine").path
    assert "~nobody-of-this-name/x" in str(locate("~nobody-of-this-name/x").path)


@pytest.mark.parametrize("name", ["a\0b", "./a\0b", "-x", "a:b", "x" * 200, " x", "*"])
def test_other_names_are_refused(name: str) -> None:
    """A name that is no good name for a folder is an error that says what is."""
    with pytest.raises(PathError, match="no name of an index"):
        locate(name)


def test_folders_with_other_files_are_left_alone(tmp_path: Path) -> None:
    """A folder of documents never becomes an index, nor is it removed as one."""
    (tmp_path / "thesis.md").write_text("precious")
    folder = locate(str(tmp_path))
    with pytest.raises(PathError, match=r"thesis\.md"):
        folder.create()
    with pytest.raises(IndexMissingError, match="nothing was removed"):
        folder.remove()
    assert ["thesis.md"] == [path.name for path in tmp_path.iterdir()]
    with pytest.raises(PathError, match="cannot be made") as caught:
        locate(str(tmp_path / "thesis.md")).create()
    assert "RESEARCH_AGENT_HOME" in caught.value.hint


def test_removing_takes_only_what_is_ours() -> None:
    """The folder goes with the index, unless somebody put something else there."""
    for name in ("one", "two"):
        folder = locate(name)
        folder.create()
        folder.create()
        folder.current().ledger.touch()
        folder.current().vectors.mkdir()
        (folder.current().vectors / "data").touch()
    (locate("two").path / "note.txt").touch()
    assert ["one", "two"] == [folder.label for folder in named_indexes()]
    for name in ("one", "two"):
        locate(name).remove()
    assert not locate("one").path.exists()
    assert ["note.txt"] == [path.name for path in locate("two").path.iterdir()]
    assert [] == named_indexes()


def test_a_folder_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only or full disk is an error of ours, and leaves no lock behind."""
    folder = locate("mine")
    folder.create()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr("filelock.FileLock.acquire", refuse)
        with pytest.raises(IndexingError, match="Read-only file system") as error, folder.locked():
            pass
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", refuse)
        with pytest.raises(IndexingError, match="mine cannot be written"), folder.locked():
            pass
    assert str(folder.path) in error.value.hint
    with folder.locked():
        assert (folder.path / "writer.json").is_file()


def test_there_is_one_writer_and_it_is_named() -> None:
    """A second writer is told who the first one is, at once, and may try again later."""
    folder = locate("shared")
    folder.create()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, "shared"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert "locked\n" == process.stdout.readline()
        with pytest.raises(
            IndexLockedError, match=rf"process {process.pid} \(-c shared\)"
        ) as error:
            folder.locked().__enter__()
        assert error.value.retryable
        with pytest.raises(IndexLockedError):
            folder.remove()
        process.stdin.close()
        process.wait(timeout=30)
    with folder.locked():
        (folder.path / "writer.json").unlink()
        with pytest.raises(IndexLockedError, match="another process"), folder.locked():
            pass
    folder.remove()
