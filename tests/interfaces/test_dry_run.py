"""`research-agent index --dry-run`: what would be done, in lines and in JSON."""

import os
from pathlib import Path

import pytest

from tests.interfaces.commands import GUIDE, printed, run


@pytest.fixture
def docs(tmp_path: Path, data_home: Path) -> Path:
    assert not data_home.exists()
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("guide", "other"):
        (folder / f"{name}.md").write_text(f"# {name}\n\n{GUIDE}", encoding="utf-8")
    (folder / "image.png").touch()
    return folder


def test_nothing_is_written(docs: Path, data_home: Path) -> None:
    """Before the first run everything is added, and there is no index afterwards."""
    result = run("index", "--dry-run", str(docs))
    assert 0 == result.exit_code
    assert f"added: {docs / 'guide.md'}\n" in result.stdout
    assert "2 added, 1 skipped; nothing was written: leave out --dry-run to do it" in result.stdout
    assert not (data_home / "indexes").exists()


def test_changes_are_named(docs: Path) -> None:
    """A file whose content has changed, one that is gone, and one that stayed."""
    assert 0 == run("index", str(docs)).exit_code
    (docs / "guide.md").write_text("# Guide\n\nAnew.", encoding="utf-8")
    (docs / "other.md").unlink()
    told = printed(run("index", "--dry-run", "--json", str(docs)))
    assert {"guide.md": "changed", "other.md": "removed", "image.png": "skipped"} == {
        os.path.basename(file["path"]): file["status"]  # noqa: PTH119 (a name)
        for file in told["files"]
    }
    lines = run("index", "--dry-run", str(docs)).stdout.splitlines()
    assert f"changed: {docs / 'guide.md'}: its content has changed" in lines
    assert f"removed: {docs / 'other.md'}" in lines
    assert 0 == run("index", str(docs)).exit_code
    assert 1 == len(run("index", "--dry-run", str(docs)).stdout.splitlines()[:-1])


def test_an_empty_folder_warns(docs: Path) -> None:
    """Its documents stay, the status says that something failed, and --prune is named."""
    run("index", str(docs))
    for path in docs.iterdir():
        path.unlink()
    for options in (("--dry-run",), ()):
        result = run("index", *options, str(docs))
        assert 3 == result.exit_code
        assert "is its disk connected?" in result.stdout
        assert "--prune" in result.stdout
    assert "2 removed" in run("index", "--prune", "--dry-run", str(docs)).stdout
    assert "2 removed" in run("index", "--prune", str(docs)).stdout
