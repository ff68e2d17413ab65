"""What is kept is its owner's alone, and is written where it is meant to be."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.conversation.adapters.sessions import sqlite_table
from research_agent.errors import ResearchAgentError
from research_agent.index.adapters.folders import locate
from research_agent.private_files import make_folder, touch, write_text
from tests.interfaces.commands import GUIDE, made_index, run


@pytest.fixture(params=[0o000, 0o077], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder: Path) -> list[str]:
    """Everything at and below a folder that others than its owner may look at."""
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if mode(path) != (0o700 if path.is_dir() else 0o600)]


@pytest.fixture
def guide(tmp_path: Path) -> str:
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    return str(tmp_path / "guide.md")


@pytest.mark.usefixtures("_umask")
def test_an_index_is_its_owners_alone(
    guide: str, data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With vectors in Chroma's files and after a rebuild too, and whatever the umask says."""
    monkeypatch.setenv("RESEARCH_AGENT_INDEX__VECTORS", "chroma")
    for options in ((), ("--rebuild",)):
        assert 0 == run("index", guide, *options).exit_code
        assert 0 == run("search", "rye").exit_code
        assert [] == open_to_others(data_home / "indexes" / "default")
    assert 0o600 == mode(data_home / "embeddings.sqlite3")


def test_an_older_index_is_tightened_not_refused(guide: str, data_home: Path) -> None:
    """By whoever opens it next; files in its folder that are not ours stay as they are."""
    assert 0 == run("index", guide).exit_code
    folder = data_home / "indexes" / "default"
    (folder / "notes.txt").touch()
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    found = run("search", "rye")

    assert 0 == found.exit_code, found.output
    assert [str(folder / "notes.txt")] == open_to_others(folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with "docs" and "home", where their index is; the tests copy it."""
    return made_index(tmp_path_factory.mktemp("made"), {"guide.md": GUIDE})


@pytest.mark.parametrize("options", [(), ("--rebuild",)])
@pytest.mark.parametrize(
    "name",
    [
        *("writer.json", "writer.lock", "research-agent-index.json.new", "calibration.json"),
        *("ledger.sqlite3", "ledger.sqlite3-wal", "words.sqlite3", "vectors", "edition-1"),
    ],
)
def test_nothing_is_written_through_a_link(
    made: Path, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    """Whatever file of an index leads elsewhere, what it leads to stays as it was."""
    theirs = tmp_path / "theirs"
    theirs.write_text("precious", encoding="utf-8")
    place = str(shutil.copytree(made / "home" / "indexes" / "default", tmp_path / "index"))
    link = Path(place, name)
    link.unlink(missing_ok=True)
    link.symlink_to(theirs)
    docs = str(made / "docs")
    done = [run("index", docs, "--index", place, *options), run("search", "x", "--index", place)]

    assert "precious" == theirs.read_text(encoding="utf-8")
    assert [1, 1] == [result.exit_code for result in done]
    assert all("symbolic link" in result.stderr for result in done)


def test_a_folder_that_is_no_index_keeps_its_mode(guide: str, tmp_path: Path) -> None:
    """It may be anybody's, also where a link leads to it."""
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    theirs.chmod(0o755)
    (theirs / "page.html").touch()
    (tmp_path / "index").symlink_to(theirs)

    assert 1 == run("index", guide, "--index", str(tmp_path / "index")).exit_code
    assert 0o755 == mode(theirs)
    with pytest.raises(ResearchAgentError):
        locate(str(tmp_path / "index")).create()


def test_sessions_are_their_owners_alone(tmp_path: Path) -> None:
    """Those of an earlier time are tightened; a link is not followed."""
    folder = tmp_path / "sessions"
    folder.mkdir(mode=0o755)
    (folder / "sessions.sqlite3").touch(mode=0o644)
    sqlite_table(folder).close()
    assert [] == open_to_others(folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sessions.sqlite3").symlink_to(tmp_path / "theirs")
    with pytest.raises(ResearchAgentError, match="symbolic link"):
        sqlite_table(tmp_path / "other")
    assert not (tmp_path / "theirs").exists()


def test_what_its_owner_cannot_write_stays_so(tmp_path: Path) -> None:
    """Rights are taken from others, and given to nobody."""
    (tmp_path / "a").mkdir(mode=0o555)
    (tmp_path / "file").touch(mode=0o444)
    make_folder(tmp_path / "a")
    touch(tmp_path / "file")
    assert [0o500, 0o400] == [mode(tmp_path / name) for name in ("a", "file")]


@pytest.mark.usefixtures("_umask")
def test_files_and_folders(tmp_path: Path) -> None:
    """Modes do not hang on the umask; a link is an error, and what it leads to is untouched."""
    make_folder(tmp_path / "a")
    touch(tmp_path / "a" / "empty")
    write_text(tmp_path / "a" / "text", "longer than before")
    write_text(tmp_path / "a" / "text", "é")
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "text")

    assert "é" == (tmp_path / "a" / "text").read_text(encoding="utf-8")
    for write in (touch, lambda path: write_text(path, "x")):
        with pytest.raises(OSError, match="symbolic link"):
            write(tmp_path / "a" / "link")
    assert "é" == (tmp_path / "a" / "text").read_text(encoding="utf-8")
    (tmp_path / "a" / "link").unlink()
    assert [] == open_to_others(tmp_path / "a")
