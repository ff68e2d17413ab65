"""Which files are read, which are left alone, and why."""

import hashlib
import os
import sys
import time
from pathlib import Path
from random import Random

import pathspec
import pytest

from research_agent.documents.adapters.files import LocalFiles, _Globs
from research_agent.errors import DocumentError, PathError
from research_agent.settings import DocumentSettings

ENDINGS = (".md", ".txt")


def files(**settings: object) -> LocalFiles:
    return LocalFiles(DocumentSettings(**settings), ENDINGS)  # type: ignore[arg-type]  # (any field)


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")


def found(folder: Path, source: LocalFiles, *paths: Path) -> tuple[list[str], dict[str, str]]:
    result = source.find([str(path) for path in paths or (folder,)])
    names = [os.path.relpath(file.path, folder) for file in result.files]
    return names, {os.path.relpath(r.path, folder): r.reason for r in result.skipped}


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    """Files below a folder come sorted; unknown endings and hidden names are left alone."""
    make(tmp_path, "b.md", "a/z.txt", "a/y.MD", "c.xyz", "plain", ".git/x.md", ".secret.txt")
    make(tmp_path, "~$b.md", ".~lock.b.md#")

    assert (
        ["a/y.MD", "a/z.txt", "b.md"],
        {
            "c.xyz": "no reader for .xyz",
            "plain": "no reader for names without an ending",
            ".git": "hidden",
            ".secret.txt": "hidden",
            "~$b.md": "hidden",
            ".~lock.b.md#": "hidden",
        },
    ) == found(tmp_path, files())


def test_an_index_among_the_documents_is_no_document(tmp_path: Path) -> None:
    """`index . --index ./ix` twice: the second run reads none of the first one's files."""
    make(tmp_path, "a.md", "ix/research-agent-index.json", "ix/writer.md")
    names, skipped = found(tmp_path, files())

    assert (["a.md"], {"ix": "an index of research_agent"}) == (names, skipped)


def test_gitignore(tmp_path: Path) -> None:
    """Nested .gitignore files count, the nearest first; a named file is taken all the same."""
    make(tmp_path, "keep.md", "out/a.md", "sub/x.txt", "sub/y.txt", "sub/deep/z.txt", "skip.txt")
    (tmp_path / ".gitignore").write_text("out/\n*.txt\n[z-a]\n!\n")
    (tmp_path / "sub/.gitignore").write_text("!x.txt\n/deep\n")
    names, skipped = found(tmp_path, files())

    assert ["keep.md", "sub/x.txt"] == names
    assert {"out", "skip.txt", "sub/y.txt", "sub/deep"} == {
        name for name, reason in skipped.items() if reason == "named in .gitignore"
    }
    twice = [tmp_path, tmp_path / "skip.txt", tmp_path / "sub/x.txt"]
    assert ["keep.md", "skip.txt", "sub/x.txt"] == found(tmp_path, files(), *twice)[0]
    assert 6 == len(found(tmp_path, files(gitignore=False))[0])


def test_include_and_exclude(tmp_path: Path) -> None:
    """Globs are relative to the named folder; excluding wins."""
    make(tmp_path, "docs/a.md", "docs/old/b.md", "c.md", "d.txt")
    source = files(include=("docs/**", "*.txt"), exclude=("old/",))

    assert (["d.txt", "docs/a.md"], {"docs/old": "excluded", "c.md": "not included"}) == found(
        tmp_path, source
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")
def test_links_and_special_files(tmp_path: Path) -> None:
    """Links to files and folders are not followed, pipes are not opened."""
    make(tmp_path, "real/a.md")
    (tmp_path / "link.md").symlink_to(tmp_path / "real/a.md")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.md")

    assert (
        ["real/a.md"],
        {"link.md": "symbolic link", "loop": "symbolic link", "pipe.md": "not a regular file"},
    ) == found(tmp_path, files())
    assert ["link.md"] == found(tmp_path, files(), tmp_path / "link.md")[0]


def test_large_files_are_skipped(tmp_path: Path) -> None:
    """The reason names the size and the setting."""
    (tmp_path / "big.txt").write_bytes(b"x" * 2_500_000)
    (tmp_path / "fits.txt").write_bytes(b"x" * 1_000_000)

    assert (["fits.txt"], {"big.txt": "2.5 MB; documents.max_file_mb is 1"}) == found(
        tmp_path, files(max_file_mb=1.0)
    )


def test_missing_path_is_an_error(tmp_path: Path) -> None:
    """The error names the path; an empty folder is no error here."""
    with pytest.raises(PathError, match=r"nowhere: there is no such file or folder") as caught:
        files().find([str(tmp_path / "nowhere")])

    assert "research-agent index" in caught.value.hint
    assert ([], {}) == found(tmp_path, files())
    with pytest.raises(PathError):
        files().find(["a\0b"])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    """Any name that the system allows is found and read; a file may vanish before it is."""
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.md")  # noqa: PTH118 (Path takes no bytes)
    with open(path, "wb") as stream:  # noqa: PTH123 (Path takes no bytes)
        stream.write(b"text")
    source = files()
    (file,) = source.find([str(tmp_path)]).files
    status = os.stat(path)  # noqa: PTH116 (Path takes no bytes)

    assert (str(tmp_path), 4, status.st_mtime_ns) == (file.root, file.size, file.mtime_ns)
    assert hashlib.sha256(b"text").hexdigest() == source.digest(file.path)
    for gone, reason in (("gone.md", "vanished"), ("", "cannot be read")):
        with pytest.raises(DocumentError, match=reason):
            source.digest(str(tmp_path / gone))


@pytest.mark.parametrize(
    ("function", "refused", "reason"),
    [("scandir", "closed", "folder cannot be read: no"), ("stat", "a.md", "cannot be read: no")],
)
def test_what_cannot_be_looked_at_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, refused: str, reason: str
) -> None:
    """It fails alone, and is not missing; below a file there is nothing."""
    make(tmp_path, "closed/a.md", "open/b.md")
    real = getattr(os, function)

    def refuse(path: str) -> object:
        if path.endswith(refused):
            raise OSError(5, "no")
        return real(path)

    paths = [tmp_path / "closed" / "a.md"] if function == "stat" else []
    with monkeypatch.context() as patched:
        patched.setattr(os, function, refuse)
        names, skipped = found(tmp_path, files(), *paths)

    assert (["open/b.md"] * (not paths), [reason]) == (names, list(skipped.values()))
    with pytest.raises(PathError, match="no such file"):
        files().find([str(tmp_path / "open" / "b.md" / "c.md")])


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*a*a*a*a*a*a*a*a*b", "a" * 200 + "c.md"),
        ("*?*?*?*?*?*?*?*b", "a" * 200 + ".md"),
        ("**/a" * 12 + "/b", "a/" * 60 + "c.md"),
        ("x/**/" + "*a*a*a*b/**/" * 8 + "z", "x/" + ("a" * 30 + "b/") * 20 + "c.md"),
        ("*" * 5000 + "b", "a.md"),
        ("*a*\n" * 40_000, "b.md"),
    ],
)
def test_patterns_that_take_ages(pattern: str, name: str, tmp_path: Path) -> None:
    """No pattern of a .gitignore holds up the walk: without our expressions these take hours."""
    make(tmp_path, name)
    (tmp_path / ".gitignore").write_text(pattern + "\n")
    began = time.process_time()

    assert [name] == found(tmp_path, files())[0]
    assert time.process_time() - began < 10


def test_patterns_mean_what_they_meant() -> None:
    """Random patterns take the same paths as the library's own expressions do (seed 7)."""
    random, taken = Random(7), 0  # noqa: S311 (a repeatable choice)
    for _ in range(2000):
        pattern = "".join(
            random.choices(["*", "?", "a", "b", "**", "/", ".", "[ab]"], k=random.randint(1, 7))
        )
        path = "/".join("".join(random.choices("ab.c", k=3)) for _ in range(random.randint(1, 5)))
        try:
            theirs = pathspec.GitIgnoreSpec.from_lines([pattern]).check_file(path).include
        except ValueError:
            continue
        taken += theirs is not None
        assert theirs == _Globs("", [pattern]).spec.check_file(path).include, (pattern, path)

    assert taken > 100
