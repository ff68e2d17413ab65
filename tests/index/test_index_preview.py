"""A preview says what a run of indexing does, and does nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.errors import DocumentError, PathError
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types.documents import FileReport
from tests.index.desk import BREAD, KEYS, Desk, outcomes


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with LedgerWriter(tmp_path / "ledger", "mine", model="words") as writer:
        yield Desk(tmp_path / "ledger", writer)


def test_everything_is_new_at_first(desk: Desk) -> None:
    """Nothing is read, embedded or written."""
    assert [("bread.txt", "added"), ("keys.txt", "added")] == outcomes(desk.preview())
    assert ([], []) == (desk.embedder.asked, desk.writer.documents())


def test_every_kind_of_change_is_named(desk: Desk) -> None:
    """The preview names each file's change, and the run after it does just that."""
    for name in ("gone", "old", "touched"):
        desk.files.write(f"/docs/{name}.txt", f"A text of {name}.")
    desk.index()
    before = desk.chunk_ids()
    desk.files.write("/docs/bread.txt", f"Water boils. {BREAD}")
    desk.files.write("/docs/fresh.txt", "Fresh.")
    desk.files.write("/docs/touched.txt", "A text of touched.")
    del desk.files.texts["/docs/gone.txt"]
    desk.files.move("/docs/old.txt", "/docs/renamed.txt")
    desk.files.left_alone = [FileReport("/docs/image.png", "skipped", "no reader for .png")]
    report = desk.preview()
    assert (before, 5) == (desk.chunk_ids(), report.documents)
    assert {
        "bread.txt": ("changed", "its content has changed"),
        "fresh.txt": ("added", ""),
        "gone.txt": ("removed", ""),
        "image.png": ("skipped", "no reader for .png"),
        "keys.txt": ("unchanged", ""),
        "renamed.txt": ("unchanged", "moved from /docs/old.txt"),
        "touched.txt": ("unchanged", ""),
    } == {file.path.removeprefix("/docs/"): (file.status, file.reason) for file in report.files}
    done = {"added": "indexed", "changed": "indexed"}
    assert [(path, done.get(status, status)) for path, status in outcomes(report)] == outcomes(
        desk.index()
    )


def test_another_chunk_length_is_a_change(desk: Desk) -> None:
    """The preview says what would be cut anew, and why."""
    desk.index()
    report = desk.preview(chunk_chars=400)
    assert {"changed"} == {file.status for file in report.files}
    assert "cut anew with chunk_chars=400" in report.files[0].reason


def test_failures_are_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be read is read again; what cannot be opened at all is said at once."""
    desk.files.write("/docs/a.txt", "\0")
    desk.index()
    assert FileReport("/docs/a.txt", "changed", "it is binary") == desk.preview().files[0]

    def locked(_: str) -> str:
        raise DocumentError("cannot be read: Permission denied")

    monkeypatch.setattr(desk.files, "digest", locked)
    assert ("failed", "cannot be read: Permission denied") == (
        desk.preview().files[0].status,
        desk.preview().files[0].reason,
    )


def test_folders_that_are_empty_or_missing_are_told(desk: Desk) -> None:
    """The same warnings and errors as in the run itself."""
    desk.files.write("/empty/far.txt", KEYS)
    desk.index("/docs", "/empty")
    del desk.files.texts["/empty/far.txt"]
    report = desk.preview("/docs", "/empty")
    assert [("/empty/far.txt", "skipped"), ("/empty", "failed")] == outcomes(report)[-2:]
    assert ("/empty/far.txt", "removed") in outcomes(desk.preview("/empty", prune=True))
    with pytest.raises(PathError):
        desk.preview("/nowhere")
