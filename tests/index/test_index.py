"""The indexing step: every kind of change to the files, and what it costs in embeddings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from research_agent.errors import ModelUnavailableError, PathError
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types.documents import FileReport
from tests.index.desk import BREAD, KEYS, Desk, outcomes


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with LedgerWriter(tmp_path / "ledger", "mine", model="words") as writer:
        yield Desk(tmp_path / "ledger", writer)


def test_documents_are_read_cut_and_embedded(desk: Desk) -> None:
    """Every window is embedded below the header of its chunk, every file is reported."""
    report = desk.index()
    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)
    assert (3, 2, 4) == (report.chunks, report.documents, report.embedded)
    assert [2, 1] == [file.chunks for file in report.files]
    assert "Notes > Part A key ha\nA key has 1184 bytes." in desk.embedder.asked
    (bread, _) = desk.writer.documents()
    assert ("bread", "Notes", "2026-11", 2) == (bread.doc_id, bread.title, bread.date, bread.pages)


def test_an_unchanged_folder_embeds_and_hashes_nothing(desk: Desk) -> None:
    """The second run looks at sizes and times alone."""
    first, second = desk.index(), desk.index()
    assert [("bread.txt", "unchanged"), ("keys.txt", "unchanged")] == outcomes(second)
    assert (0, [], []) == (second.embedded, desk.embedder.asked, desk.files.hashed)
    assert (first.chunks, first.documents) == (second.chunks, second.documents)


def test_a_touched_file_is_hashed_once(desk: Desk) -> None:
    """A new time alone costs one digest, and none the next time."""
    desk.index()
    desk.files.write("/docs/keys.txt", KEYS)
    assert ("keys.txt", "unchanged") in outcomes(desk.index())
    assert ["/docs/keys.txt"] == desk.files.hashed
    desk.index()
    assert [] == desk.files.hashed


def test_a_change_embeds_its_new_chunks_alone(desk: Desk) -> None:
    """What stayed in a changed document keeps its id and its vector; what left is gone."""
    desk.index()
    before = desk.chunk_ids()
    desk.files.write("/docs/bread.txt", f"Water boils.\n\n{BREAD.partition(chr(10))[0]}")
    report = desk.index()
    after = desk.chunk_ids()
    assert [("bread.txt", "indexed"), ("keys.txt", "unchanged")] == outcomes(report)
    assert ["Notes > Part Water bo\nWater boils."] == desk.embedder.asked
    assert ["/docs/bread.txt Water boils."] == [after[i] for i in after.keys() - before.keys()]
    assert 1 == len(before.keys() - after.keys())


def test_a_renamed_file_keeps_its_chunks(desk: Desk) -> None:
    """Equal content under a new path is the old document, wherever it went."""
    desk.index()
    before = desk.chunk_ids()
    desk.files.move("/docs/bread.txt", "/docs/recipes/baking.txt")
    report = desk.index()
    assert [("keys.txt", "unchanged"), ("recipes/baking.txt", "unchanged")] == outcomes(report)
    assert "moved from /docs/bread.txt" == report.files[1].reason
    assert 0 == report.embedded
    after = desk.chunk_ids()
    assert before.keys() == after.keys()
    assert 2 == sum(text.startswith("/docs/recipes/baking.txt") for text in after.values())
    assert ["keys", "baking"] == [record.doc_id for record in desk.writer.documents()]
    assert [] == [file for file in desk.index().files if file.status != "unchanged"]


def test_a_copy_is_a_document_of_its_own(desk: Desk) -> None:
    """While the first file is there, equal content is a second document; vectors are shared."""
    desk.index()
    desk.files.write("/docs/copy.txt", KEYS)
    report = desk.index()
    assert (("copy.txt", "indexed"), 0) == (outcomes(report)[1], report.embedded)
    assert (4, 3) == (len(desk.chunk_ids()), report.documents)


def test_a_renamed_and_replaced_file_are_told_apart(desk: Desk) -> None:
    """A new text under the old path is a change there, and the old text a new document."""
    desk.index()
    desk.files.move("/docs/keys.txt", "/docs/old-keys.txt")
    desk.files.write("/docs/keys.txt", "New keys have 800 bytes.")
    report = desk.index()
    assert {"keys.txt": "indexed", "old-keys.txt": "indexed", "bread.txt": "unchanged"} == dict(
        outcomes(report)
    )
    assert 1 == report.embedded


def test_what_is_gone_leaves_the_index(desk: Desk) -> None:
    """A deleted file is reported and its chunks leave; files elsewhere stay."""
    desk.files.write("/other/far.txt", "Far away.")
    desk.index("/docs", "/other")
    del desk.files.texts["/docs/bread.txt"]
    report = desk.index("/docs")
    assert [("keys.txt", "unchanged"), ("bread.txt", "removed")] == outcomes(report)
    assert (2, 2) == (report.chunks, report.documents)
    assert {"/docs/keys.txt " + KEYS, "/other/far.txt Far away."} == set(desk.chunk_ids().values())


def test_another_folder_is_added(desk: Desk) -> None:
    """Indexing one more folder leaves the first one in, even where it is gone from disk."""
    desk.index("/docs")
    desk.files.texts.clear()
    desk.files.write("/other/far.txt", "Far away.")
    report = desk.index("/other")
    assert [("/other/far.txt", "indexed")] == outcomes(report)
    assert 3 == report.documents


def test_what_is_only_left_alone_now_stays(desk: Desk) -> None:
    """A file that a setting excludes, or a folder that cannot be read, is not gone."""
    desk.files.write("/docs/locked/a.txt", "Locked away.")
    desk.index()
    del desk.files.texts["/docs/locked/a.txt"]
    desk.files.left_alone = [
        FileReport("/docs/keys.txt", "skipped", "excluded"),
        FileReport("/docs/locked", "failed", "folder cannot be read"),
        FileReport("/docs/image.png", "skipped", "no reader for .png"),
    ]
    report = desk.index()
    assert 3 == report.documents
    assert {
        "bread.txt": "unchanged",
        "keys.txt": "skipped",
        "locked/a.txt": "skipped",
        "locked": "failed",
        "image.png": "skipped",
    } == dict(outcomes(report))
    assert len(outcomes(report)) == len(dict(outcomes(report)))
    assert any("excluded; what was indexed of it stays" in file.reason for file in report.files)


def test_what_is_below_a_missing_path_stays(desk: Desk) -> None:
    """A drive that is not connected takes nothing with it, and the report says so."""
    desk.files.write("/usb/far.txt", "Far away.")
    desk.index("/docs", "/usb")
    desk.files.move("/usb/far.txt", "/docs/copy.txt")
    del desk.files.texts["/docs/keys.txt"]
    report = desk.index("/docs", "/usb")
    assert {
        "bread.txt": "unchanged",
        "copy.txt": "indexed",
        "keys.txt": "removed",
        "/usb/far.txt": "skipped",
        "/usb": "failed",
    } == dict(outcomes(report))
    (told,) = [file for file in report.files if file.path == "/usb/far.txt"]
    assert "/usb: there is no such file or folder; what was indexed of it stays" in told.reason
    assert "/usb/far.txt Far away." in desk.chunk_ids().values()


def test_named_files_leave_where_their_folder_is_seen(desk: Desk) -> None:
    """A deleted file that was named itself is gone; below a read folder so is a named one."""
    desk.files.write("/docs/old/a.txt", "Old.")
    desk.index()
    for path in ("/docs/bread.txt", "/docs/old/a.txt"):
        del desk.files.texts[path]
    assert ("bread.txt", "removed") in outcomes(desk.index("/docs/keys.txt", "/docs/bread.txt"))
    assert ("old/a.txt", "removed") in outcomes(desk.index("/docs", "/docs/old"))


def test_a_folder_that_is_empty_now_takes_nothing_with_it(desk: Desk) -> None:
    """A disk that is not mounted is an empty folder: its documents stay, and the report warns."""
    desk.files.texts.clear()
    desk.files.write("/docs/keys.txt", KEYS)
    desk.files.write("/empty/far.txt", "Far away.")
    desk.index("/docs", "/empty")
    before = desk.chunk_ids()
    del desk.files.texts["/empty/far.txt"]
    for paths in (("/docs", "/empty"), ("/empty",)):
        report = desk.index(*paths)
        far, root = report.files[-2:]
        assert ("/empty/far.txt", "skipped", 1) == (far.path, far.status, far.chunks)
        assert "is its disk connected?" in far.reason
        assert "--prune" in far.reason
        assert ("/empty", "failed") == (root.path, root.status)
        assert before == desk.chunk_ids()
    desk.files.write("/empty/new.txt", "Something else.")
    assert ("/empty/far.txt", "removed") in outcomes(desk.index("/docs", "/empty"))


def test_prune_forgets_what_an_empty_folder_held(desk: Desk) -> None:
    """Who says that the folder is meant to be empty has its documents dropped."""
    desk.files.texts.clear()
    desk.files.write("/empty/far.txt", "Far away.")
    desk.index("/empty")
    desk.files.texts.clear()
    report = desk.index("/empty", prune=True)
    assert [("/empty/far.txt", "removed")] == outcomes(report)
    assert {} == desk.chunk_ids()


def test_one_file_under_two_names_is_two_documents(desk: Desk) -> None:
    """Each has its own chunks and one vector serves both; either may be renamed or leave."""
    desk.files.texts.clear()
    desk.files.write("/docs/a.txt", KEYS)
    desk.files.write("/docs/b.txt", KEYS)
    assert 1 == desk.index().embedded
    first, second = sorted(desk.chunk_ids().items(), key=lambda item: item[1])
    desk.files.move("/docs/b.txt", "/docs/c.txt")
    desk.index()
    assert {first[0]: first[1], second[0]: f"/docs/c.txt {KEYS}"} == desk.chunk_ids()
    del desk.files.texts["/docs/a.txt"]
    assert [("c.txt", "unchanged"), ("a.txt", "removed")] == outcomes(desk.index())
    assert {second[0]: f"/docs/c.txt {KEYS}"} == desk.chunk_ids()
    desk.files.write("/docs/a.txt", KEYS)
    assert 0 == desk.index().embedded
    assert {first[0], second[0]} == desk.chunk_ids().keys()


def test_only_unreadable_paths_are_an_error(desk: Desk) -> None:
    """They change nothing; beside another path they are a failed line."""
    desk.index()
    before = desk.chunk_ids()
    desk.files.texts["/usb/a.txt"] = desk.files.texts.pop("/docs/keys.txt")
    desk.files.unreadable = ["/docs"]
    with pytest.raises(PathError, match="/docs: cannot be read"):
        desk.index("/docs")
    desk.files.write("/usb/a.txt", "Far away.")
    report = desk.index("/docs", "/usb")
    assert [("/usb/a.txt", "indexed"), ("/docs", "failed")] == [
        (file.path, file.status) for file in report.files if file.status != "skipped"
    ]
    assert before.items() <= desk.chunk_ids().items()


def test_one_bad_file_does_not_stop_the_others(desk: Desk) -> None:
    """A file that cannot be read is a line with its reason, is tried again, and can recover."""
    desk.files.write("/docs/a.txt", "\0\0")
    for _ in range(2):
        report = desk.index()
        assert FileReport("/docs/a.txt", "failed", "it is binary") == report.files[0]
        assert (1, 2) == (report.count("failed"), report.documents)
    desk.files.write("/docs/a.txt", "Text at last.")
    assert ("a.txt", "indexed") == outcomes(desk.index())[0]
    assert 4 == len(desk.chunk_ids())


def test_a_file_that_fails_later_keeps_its_last_version(desk: Desk) -> None:
    """What could be read before is not lost, and the report says so."""
    desk.index()
    desk.files.write("/docs/keys.txt", "\0")
    report = desk.index()
    assert "it is binary; what was indexed of it before stays" == report.files[1].reason
    assert (3, "failed") == (report.chunks, report.files[1].status)
    desk.files.write("/docs/keys.txt", KEYS)
    assert ("keys.txt", "unchanged") == outcomes(desk.index())[1]


def test_a_failed_file_that_is_deleted_is_forgotten(desk: Desk) -> None:
    """Nothing is left of a file that never was a document."""
    desk.files.write("/docs/a.txt", "\0")
    desk.index()
    del desk.files.texts["/docs/a.txt"]
    assert [("bread.txt", "unchanged"), ("keys.txt", "unchanged")] == outcomes(desk.index())
    assert 2 == len(desk.writer.documents())


def test_a_file_without_text_is_skipped(desk: Desk) -> None:
    """An empty file is no failure; it is not read again before it changes."""
    desk.files.write("/docs/a.txt", " \n ")
    for _ in range(2):
        report = desk.index()
        assert FileReport("/docs/a.txt", "skipped", "it holds no text") == report.files[0]
    assert [] == desk.files.hashed
    assert 2 == report.documents


def test_another_chunk_length_cuts_anew_and_says_so(desk: Desk) -> None:
    """Documents of the run are cut anew; of others the report says that they are not."""
    desk.files.write("/other/far.txt", "Far away.")
    desk.files.write("/docs/long.txt", "One sentence is here. " * 40)
    desk.index("/docs", "/other")
    report = desk.index("/docs", chunk_chars=400)
    assert {"indexed"} == {file.status for file in report.files[:3]}
    assert "cut anew with chunk_chars=400" in report.files[0].reason
    assert ("/other/far.txt", "unchanged") == outcomes(report)[3]
    assert "still cut with chunk_chars=200" in report.files[3].reason
    assert {"", "still"} == {file.reason[:5] for file in desk.index(chunk_chars=400).files}


def test_an_interrupted_run_is_continued(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before the model failed is not embedded again, nor shown too early."""
    embed = desk.embedder.embed

    def down(texts: Sequence[str]) -> list[list[float]]:
        if any("1184" in text for text in texts):
            raise ModelUnavailableError("down")
        return embed(texts)

    monkeypatch.setattr(desk.embedder, "embed", down)
    with pytest.raises(ModelUnavailableError):
        desk.index()
    assert 2 == sum(record.chunks for record in desk.writer.documents())
    monkeypatch.undo()
    report = desk.index()
    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)
    assert 1 == report.embedded
    assert 3 == len(desk.chunk_ids())


def test_equal_texts_are_embedded_once(desk: Desk) -> None:
    """A paragraph that is repeated, in one document or in several, costs one vector."""
    desk.files.texts.clear()
    desk.files.write("/docs/a.txt", "Same here.\n\nBetween.\n\nSame here.")
    desk.files.write("/docs/b.txt", "Same here.")
    report = desk.index()
    assert (4, 2, 2) == (report.chunks, report.embedded, len(desk.embedder.asked))


def test_missing_paths_are_reported_beside_the_others(desk: Desk) -> None:
    """One missing path is a failed line; only missing paths, or nothing at all, are an error."""
    report = desk.index("/docs", "/nowhere")
    assert ("/nowhere", "failed") == outcomes(report)[-1]
    assert 2 == report.documents
    with pytest.raises(PathError, match=r"/nowhere.*/nothing"):
        desk.index("/nowhere", "/nothing")
    with pytest.raises(PathError, match="nothing to index"):
        desk.index("/empty")


def test_files_below_two_named_paths_count_once(desk: Desk) -> None:
    """Naming a folder and a file in it indexes the file once."""
    report = desk.index("/docs", "/docs/keys.txt")
    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)


def test_progress_is_told(desk: Desk) -> None:
    """Each file is announced, and so are the texts embedded so far."""
    desk.files.texts["/docs/bread.txt"] = "\n\n".join(f"{n} is a number." for n in range(100))
    desk.index()
    assert [(0, 0), (64, 100), (100, 100)] == [
        (told.embedded, told.texts) for told in desk.progress if "bread" in told.path
    ]
    assert {(1, 2), (2, 2)} == {(told.number, told.total) for told in desk.progress}
