"""The indexing step: every kind of change to the files, what it costs, and what a preview says."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from research_agent.errors import DocumentError, ModelUnavailableError, PathError
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.types.documents import FileReport
from tests.index.desk import BREAD, KEYS, Desk, outcomes

CONTENTS = "1 Bread . . . . . 3\n1.1 Rye . . . . . 4\n2 Cake . . . . . 9"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with LedgerWriter(tmp_path / "ledger", "mine", model="words") as writer:
        yield Desk(tmp_path / "ledger", writer)


def only(desk: Desk, **texts: str) -> None:
    """Let the folder hold these files alone."""
    desk.files.texts.clear()
    for name, text in texts.items():
        desk.files.write(f"/docs/{name}.txt", text)


def test_documents_are_read_cut_and_embedded(desk: Desk) -> None:
    """Every window is embedded below the header of its chunk, every file is reported."""
    assert [("bread.txt", "added"), ("keys.txt", "added")] == outcomes(desk.preview())
    assert ([], []) == (desk.embedder.asked, desk.writer.documents())
    report = desk.index("/docs", "/docs/keys.txt")

    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)
    assert (3, 2, 4) == (report.chunks, report.documents, report.embedded)
    assert [2, 1] == [file.chunks for file in report.files]
    assert "Notes > Part A key ha\nA key has 1184 bytes." in desk.embedder.asked
    (bread, _) = desk.writer.documents()
    assert ("bread", "Notes", "2026-11", 2) == (bread.doc_id, bread.title, bread.date, bread.pages)


def test_an_unchanged_folder_embeds_and_hashes_nothing(desk: Desk) -> None:
    """Sizes and times are looked at alone; a touched file is hashed once."""
    first, second = desk.index(), desk.index()
    assert [("bread.txt", "unchanged"), ("keys.txt", "unchanged")] == outcomes(second)
    assert (0, [], []) == (second.embedded, desk.embedder.asked, desk.files.hashed)
    assert (first.chunks, first.documents) == (second.chunks, second.documents)
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
    report, after = desk.index(), desk.chunk_ids()

    assert [("bread.txt", "indexed"), ("keys.txt", "unchanged")] == outcomes(report)
    assert ["Notes > Part Water bo\nWater boils."] == desk.embedder.asked
    assert ["/docs/bread.txt Water boils."] == [after[i] for i in after.keys() - before.keys()]
    assert 1 == len(before.keys() - after.keys())


def test_a_renamed_file_keeps_its_chunks(desk: Desk) -> None:
    """Equal content under a new path is the old document, wherever it went."""
    desk.index()
    before = desk.chunk_ids()
    desk.files.move("/docs/bread.txt", "/docs/recipes/baking.txt")
    report, after = desk.index(), desk.chunk_ids()

    assert [("keys.txt", "unchanged"), ("recipes/baking.txt", "unchanged")] == outcomes(report)
    assert ("moved from /docs/bread.txt", 0) == (report.files[1].reason, report.embedded)
    assert before.keys() == after.keys()
    assert 2 == sum(text.startswith("/docs/recipes/baking.txt") for text in after.values())
    assert ["keys", "baking"] == [record.doc_id for record in desk.writer.documents()]
    assert {"unchanged"} == {file.status for file in desk.index().files}


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


def test_one_file_under_two_names_is_two_documents(desk: Desk) -> None:
    """Each has its own chunks and one vector serves both; either may be renamed or leave."""
    only(desk, a=KEYS, b=KEYS)
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


def test_what_is_gone_leaves_the_index_and_what_is_elsewhere_stays(desk: Desk) -> None:
    """A deleted file is reported; a named one below a read folder, or itself, is gone too."""
    desk.files.write("/other/far.txt", "Far away.")
    desk.files.write("/docs/old/a.txt", "Old.")
    desk.index("/docs", "/other")
    del desk.files.texts["/docs/bread.txt"], desk.files.texts["/docs/old/a.txt"]
    assert ("bread.txt", "removed") in outcomes(desk.index("/docs/keys.txt", "/docs/bread.txt"))
    report = desk.index("/docs", "/docs/old")
    assert ("old/a.txt", "removed") in outcomes(report)
    assert (2, 2) == (report.chunks, report.documents)
    assert {"/docs/keys.txt " + KEYS, "/other/far.txt Far away."} == set(desk.chunk_ids().values())
    del desk.files.texts["/docs/keys.txt"]
    assert 2 == desk.index("/other").documents


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


def test_a_folder_that_is_empty_now_takes_nothing_with_it(desk: Desk) -> None:
    """A disk that is not mounted is an empty folder: its documents stay, unless pruned."""
    only(desk, keys=KEYS)
    desk.files.write("/empty/far.txt", "Far away.")
    desk.index("/docs", "/empty")
    before = desk.chunk_ids()
    del desk.files.texts["/empty/far.txt"]
    for act in (desk.preview, desk.index):
        for paths in (("/docs", "/empty"), ("/empty",)):
            far, root = act(*paths).files[-2:]
            assert ("/empty/far.txt", "skipped", 1) == (far.path, far.status, far.chunks)
            assert all(part in far.reason for part in ("is its disk connected?", "--prune"))
            assert ("/empty", "failed") == (root.path, root.status)
            assert before == desk.chunk_ids()
    for act in (desk.preview, desk.index):
        assert [("/empty/far.txt", "removed")] == outcomes(act("/empty", prune=True))
    assert {f"/docs/keys.txt {KEYS}"} == set(desk.chunk_ids().values())


def test_another_file_tells_that_a_folder_is_there(desk: Desk) -> None:
    """Then what is missing in it is gone."""
    desk.files.write("/empty/far.txt", "Far away.")
    desk.index("/docs", "/empty")
    del desk.files.texts["/empty/far.txt"]
    desk.files.write("/empty/new.txt", "Something else.")
    assert ("/empty/far.txt", "removed") in outcomes(desk.index("/docs", "/empty"))


def test_paths_without_anything_to_read(desk: Desk) -> None:
    """Beside another path they are a failed line; alone they are an error and change nothing."""
    report = desk.index("/docs", "/nowhere")
    assert (("/nowhere", "failed"), 2) == (outcomes(report)[-1], report.documents)
    before = desk.chunk_ids()
    for act in (desk.index, desk.preview):
        with pytest.raises(PathError, match=r"/nowhere.*/nothing"):
            act("/nowhere", "/nothing")
        with pytest.raises(PathError, match="nothing to index"):
            act("/empty")
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
    """A line with its reason; it is tried again, can recover, and is forgotten when it is gone."""
    desk.files.write("/docs/a.txt", "\0\0")
    desk.files.write("/docs/b.txt", "\0")
    for _ in range(2):
        report = desk.index()
        assert FileReport("/docs/a.txt", "failed", "it is binary") == report.files[0]
        assert (2, 2) == (report.count("failed"), report.documents)
    assert FileReport("/docs/a.txt", "changed", "it is binary") == desk.preview().files[0]
    desk.files.write("/docs/a.txt", "Text at last.")
    del desk.files.texts["/docs/b.txt"]
    assert [("a.txt", "indexed"), ("bread.txt", "unchanged")] == outcomes(desk.index())[:2]
    assert (4, 3) == (len(desk.chunk_ids()), len(desk.writer.documents()))


def test_a_file_that_cannot_be_opened_is_told_by_a_preview_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once: nothing has to be parsed for that."""

    def locked(_: str) -> str:
        raise DocumentError("cannot be read: Permission denied")

    monkeypatch.setattr(desk.files, "digest", locked)
    for act in (desk.preview, desk.index):
        assert {("failed", "cannot be read: Permission denied")} == {
            (file.status, file.reason) for file in act().files
        }


def test_a_file_that_fails_later_keeps_its_last_version(desk: Desk) -> None:
    """What could be read before is not lost, and the report says so."""
    desk.index()
    desk.files.write("/docs/keys.txt", "\0")
    report = desk.index()
    assert "it is binary; what was indexed of it before stays" == report.files[1].reason
    assert (3, "failed") == (report.chunks, report.files[1].status)
    desk.files.write("/docs/keys.txt", KEYS)
    assert ("keys.txt", "unchanged") == outcomes(desk.index())[1]


def test_a_file_without_text_is_skipped(desk: Desk) -> None:
    """An empty file is no failure; it is not read again before it changes."""
    desk.files.write("/docs/a.txt", " \n ")
    for _ in range(2):
        report = desk.index()
        assert FileReport("/docs/a.txt", "skipped", "it holds no text") == report.files[0]
    assert ([], 2) == (desk.files.hashed, report.documents)


def test_another_chunk_length_cuts_anew_and_says_so(desk: Desk) -> None:
    """Documents of the run are cut anew; of others the report says that they are not."""
    desk.files.write("/other/far.txt", "Far away.")
    desk.files.write("/docs/long.txt", "One sentence is here. " * 40)
    desk.index("/docs", "/other")
    planned = desk.preview("/docs", chunk_chars=400)
    assert {"changed"} == {file.status for file in planned.files}
    report = desk.index("/docs", chunk_chars=400)
    assert {"indexed"} == {file.status for file in report.files[:3]}
    assert all("cut anew with chunk_chars=400" in r.files[0].reason for r in (planned, report))
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
    assert (1, 3) == (report.embedded, len(desk.chunk_ids()))


def test_equal_texts_are_embedded_once_and_contents_never(desk: Desk) -> None:
    """A repeated paragraph costs one vector; a table of contents can be read and has none."""
    only(desk, a="Same here.\n\nBetween.\n\nSame here.", b="Same here.", c=CONTENTS)
    report = desk.index()
    with LedgerReader(desk.ledger, "mine") as ledger:
        kinds = [chunk.kind for chunk in ledger.chunks(list(ledger.chunk_digests()))]
        vectors = ledger.vector_count()

    assert (5, 2, 2) == (report.chunks, report.embedded, len(desk.embedder.asked))
    assert (["contents", *["text"] * 4], 4) == (sorted(kinds), vectors)


def test_progress_is_told(desk: Desk) -> None:
    """Each file is announced, and so are the texts embedded so far."""
    desk.files.texts["/docs/bread.txt"] = "\n\n".join(f"{n} is a number." for n in range(100))
    desk.index()
    assert [(0, 0), (64, 100), (100, 100)] == [
        (told.embedded, told.texts) for told in desk.progress if "bread" in told.path
    ]
    assert {(1, 2), (2, 2)} == {(told.number, told.total) for told in desk.progress}


def test_a_preview_names_every_kind_of_change(desk: Desk) -> None:
    """And the run after it does just that."""
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
