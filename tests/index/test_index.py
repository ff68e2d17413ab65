"""The indexing step: every kind of change to the files, what it costs, and what a preview says."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from research_agent.errors import ModelUnavailableError, PathError
from research_agent.index import run
from research_agent.types.documents import FileReport
from tests.index.index_harness import (
    BREAD,
    KEYS,
    IndexHarness,
    ledger_harness,
    outcomes,
    shared_harness,
)

CONTENTS = "1 Bread . . . . . 1\n1.1 Rye . . . . . 2\n2 Cake . . . . . 3"
LIST = "[1] Doe J, On bread, 2019.\n[2] Roe R, On cake, 2020."


@pytest.fixture(params=[ledger_harness, shared_harness], ids=["ledger", "shared"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexHarness]:
    with request.param(tmp_path) as made:
        yield made


def only(harness: IndexHarness, **texts: str) -> None:
    """Let the folder hold these files alone."""
    harness.files.texts.clear()
    for name, text in texts.items():
        harness.files.write(f"/docs/{name}.txt", text)


def test_documents_are_read_cut_and_embedded(harness: IndexHarness) -> None:
    """Every window is embedded below the header of its chunk, every file is reported."""
    assert [("bread.txt", "added"), ("keys.txt", "added")] == outcomes(harness.preview())
    assert ([], []) == (harness.embedder.asked, harness.writer.documents())
    report = harness.index("/docs", "/docs/keys.txt")

    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)
    assert (3, 2, 4) == (report.chunks, report.documents, report.embedded)
    assert [2, 1] == [file.chunks for file in report.files]
    assert "Notes > Part A key ha\nA key has 1184 bytes." in harness.embedder.asked
    (bread, _) = harness.writer.documents()
    assert ("bread", "Notes", "2026-11", 2) == (bread.doc_id, bread.title, bread.date, bread.pages)


def test_an_unchanged_folder_embeds_and_hashes_nothing(harness: IndexHarness) -> None:
    """Sizes and times are looked at alone; a touched file is hashed once."""
    first, second = harness.index(), harness.index()
    assert [("bread.txt", "unchanged"), ("keys.txt", "unchanged")] == outcomes(second)
    assert (0, [], []) == (second.embedded, harness.embedder.asked, harness.files.hashed)
    assert (first.chunks, first.documents) == (second.chunks, second.documents)
    harness.files.write("/docs/keys.txt", KEYS)
    assert ("keys.txt", "unchanged") in outcomes(harness.index())
    assert ["/docs/keys.txt"] == harness.files.hashed
    harness.index()
    assert [] == harness.files.hashed


def test_a_change_embeds_its_new_chunks_alone(harness: IndexHarness) -> None:
    """What stayed in a changed document keeps its id and its vector; what left is gone."""
    harness.index()
    before = harness.chunk_ids()
    harness.files.write("/docs/bread.txt", f"Water boils.\n\n{BREAD.partition(chr(10))[0]}")
    report, after = harness.index(), harness.chunk_ids()

    assert [("bread.txt", "indexed"), ("keys.txt", "unchanged")] == outcomes(report)
    assert ["Notes > Part Water bo\nWater boils."] == harness.embedder.asked
    assert ["/docs/bread.txt Water boils."] == [after[i] for i in after.keys() - before.keys()]
    assert 1 == len(before.keys() - after.keys())


def test_a_file_with_another_ending_is_read_anew(harness: IndexHarness) -> None:
    """Its bytes are the same, but they are read as another format now."""
    harness.index()
    harness.files.move("/docs/bread.txt", "/docs/bread.md")

    told = [("bread.md", "indexed"), ("keys.txt", "unchanged"), ("bread.txt", "removed")]
    assert told == outcomes(harness.index())


def test_a_renamed_file_keeps_its_chunks(harness: IndexHarness) -> None:
    """Equal content under a new path is the old document, wherever it went."""
    harness.index()
    before = harness.chunk_ids()
    harness.files.move("/docs/bread.txt", "/docs/recipes/baking.txt")
    report, after = harness.index(), harness.chunk_ids()

    assert [("keys.txt", "unchanged"), ("recipes/baking.txt", "unchanged")] == outcomes(report)
    assert ("moved from /docs/bread.txt", 0) == (report.files[1].reason, report.embedded)
    assert before.keys() == after.keys()
    assert 2 == sum(text.startswith("/docs/recipes/baking.txt") for text in after.values())
    assert ["keys", "baking"] == [record.doc_id for record in harness.writer.documents()]
    assert {"unchanged"} == {file.status for file in harness.index().files}


def test_one_file_under_two_names_is_two_documents(harness: IndexHarness) -> None:
    """Each has its own chunks and one vector serves both; either may be renamed or leave."""
    only(harness, a=KEYS, b=KEYS)
    assert 1 == harness.index().embedded
    first, second = sorted(harness.chunk_ids().items(), key=lambda item: item[1])
    harness.files.move("/docs/b.txt", "/docs/c.txt")
    harness.index()
    assert {first[0]: first[1], second[0]: f"/docs/c.txt {KEYS}"} == harness.chunk_ids()
    del harness.files.texts["/docs/a.txt"]
    assert [("c.txt", "unchanged"), ("a.txt", "removed")] == outcomes(harness.index())
    assert {second[0]: f"/docs/c.txt {KEYS}"} == harness.chunk_ids()
    harness.files.write("/docs/a.txt", KEYS)
    assert 0 == harness.index().embedded
    assert {first[0], second[0]} == harness.chunk_ids().keys()


def test_what_is_gone_leaves_the_index_and_what_is_elsewhere_stays(harness: IndexHarness) -> None:
    """A deleted file is reported; a named one below a read folder, or itself, is gone too."""
    harness.files.write("/other/far.txt", "Far away.")
    harness.files.write("/docs/old/a.txt", "Old.")
    harness.index("/docs", "/other")
    del harness.files.texts["/docs/bread.txt"], harness.files.texts["/docs/old/a.txt"]
    assert ("bread.txt", "removed") in outcomes(harness.index("/docs/keys.txt", "/docs/bread.txt"))
    report = harness.index("/docs", "/docs/old")
    assert ("old/a.txt", "removed") in outcomes(report)
    assert (2, 2) == (report.chunks, report.documents)
    assert {"/docs/keys.txt " + KEYS, "/other/far.txt Far away."} == set(
        harness.chunk_ids().values()
    )
    del harness.files.texts["/docs/keys.txt"]
    assert 2 == harness.index("/other").documents


def test_what_is_only_left_alone_now_stays(harness: IndexHarness) -> None:
    """A file that a setting excludes, or a folder that cannot be read, is not gone."""
    harness.files.write("/docs/locked/a.txt", "Locked away.")
    harness.index()
    del harness.files.texts["/docs/locked/a.txt"]
    harness.files.left_alone = [
        FileReport("/docs/keys.txt", "skipped", "excluded"),
        FileReport("/docs/locked", "failed", "folder cannot be read"),
        FileReport("/docs/image.png", "skipped", "no reader for .png"),
    ]
    report = harness.index()
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


def test_what_is_below_a_missing_path_stays(harness: IndexHarness) -> None:
    """A drive that is not connected takes nothing with it, and the report says so."""
    harness.files.write("/usb/far.txt", "Far away.")
    harness.index("/docs", "/usb")
    harness.files.move("/usb/far.txt", "/docs/copy.txt")
    del harness.files.texts["/docs/keys.txt"]
    report = harness.index("/docs", "/usb")
    assert {
        "bread.txt": "unchanged",
        "copy.txt": "indexed",
        "keys.txt": "removed",
        "/usb/far.txt": "skipped",
        "/usb": "failed",
    } == dict(outcomes(report))
    (told,) = [file for file in report.files if file.path == "/usb/far.txt"]
    assert "/usb: there is no such file or folder; what was indexed of it stays" in told.reason
    assert "/usb/far.txt Far away." in harness.chunk_ids().values()


def test_a_folder_that_is_empty_now_takes_nothing_with_it(harness: IndexHarness) -> None:
    """A disk that is not mounted is an empty folder: its documents stay, unless pruned."""
    only(harness, keys=KEYS)
    harness.files.write("/empty/far.txt", "Far away.")
    harness.index("/docs", "/empty")
    before = harness.chunk_ids()
    del harness.files.texts["/empty/far.txt"]
    for act in (harness.preview, harness.index):
        for paths in (("/docs", "/empty"), ("/empty",)):
            far, root = act(*paths).files[-2:]
            assert ("/empty/far.txt", "skipped", 1) == (far.path, far.status, far.chunks)
            assert all(part in far.reason for part in ("is its disk connected?", "--prune"))
            assert ("/empty", "failed") == (root.path, root.status)
            assert before == harness.chunk_ids()
    for act in (harness.preview, harness.index):
        assert [("/empty/far.txt", "removed")] == outcomes(act("/empty", prune=True))
    assert {f"/docs/keys.txt {KEYS}"} == set(harness.chunk_ids().values())


def test_paths_without_anything_to_read(harness: IndexHarness) -> None:
    """Beside another path they are a failed line; alone they are an error and change nothing."""
    report = harness.index("/docs", "/nowhere")
    assert (("/nowhere", "failed"), 2) == (outcomes(report)[-1], report.documents)
    before = harness.chunk_ids()
    for act in (harness.index, harness.preview):
        with pytest.raises(PathError, match=r"/nowhere.*/nothing"):
            act("/nowhere", "/nothing")
        with pytest.raises(PathError, match="nothing to index"):
            act("/empty")
    harness.files.texts["/usb/a.txt"] = harness.files.texts.pop("/docs/keys.txt")
    harness.files.unreadable = ["/docs"]
    with pytest.raises(PathError, match="/docs: cannot be read"):
        harness.index("/docs")
    harness.files.write("/usb/a.txt", "Far away.")
    report = harness.index("/docs", "/usb")
    assert [("/usb/a.txt", "indexed"), ("/docs", "failed")] == [
        (file.path, file.status) for file in report.files if file.status != "skipped"
    ]
    assert before.items() <= harness.chunk_ids().items()


def test_one_bad_file_does_not_stop_the_others(harness: IndexHarness) -> None:
    """A line with its reason; it is tried again, can recover, and is forgotten when it is gone."""
    harness.files.write("/docs/a.txt", "\0\0")
    harness.files.write("/docs/b.txt", "\0")
    for _ in range(2):
        report = harness.index()
        assert FileReport("/docs/a.txt", "failed", "it is binary") == report.files[0]
        assert (2, 2) == (report.count("failed"), report.documents)
    assert FileReport("/docs/a.txt", "changed", "it is binary") == harness.preview().files[0]
    harness.files.write("/docs/a.txt", "Text at last.")
    del harness.files.texts["/docs/b.txt"]
    assert [("a.txt", "indexed"), ("bread.txt", "unchanged")] == outcomes(harness.index())[:2]
    assert (4, 3) == (len(harness.chunk_ids()), len(harness.writer.documents()))


def test_a_file_that_fails_later_keeps_its_last_version(harness: IndexHarness) -> None:
    """What could be read before is not lost, and the report says so."""
    harness.index()
    harness.files.write("/docs/keys.txt", "\0")
    report = harness.index()
    assert "it is binary; what was indexed of it before stays" == report.files[1].reason
    assert (3, "failed") == (report.chunks, report.files[1].status)
    harness.files.write("/docs/keys.txt", KEYS)
    assert ("keys.txt", "unchanged") == outcomes(harness.index())[1]


def test_a_file_whose_embedding_takes_too_long_is_named(
    harness: IndexHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are indexed all the same, and the next run goes on."""
    monkeypatch.setattr(run, "FILE_SECONDS", -1.0)
    long, short = harness.index().files
    monkeypatch.undo()

    assert ("failed", "failed") == (long.status, short.status)
    assert "of its" in long.reason
    assert "index it again to go on from there" in long.reason
    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(harness.index())


def test_a_file_without_text_is_skipped(harness: IndexHarness) -> None:
    """An empty file is no failure; it is not read again before it changes."""
    harness.files.write("/docs/a.txt", " \n ")
    for _ in range(2):
        report = harness.index()
        assert FileReport("/docs/a.txt", "skipped", "it holds no text") == report.files[0]
    assert ([], 2) == (harness.files.hashed, report.documents)


def test_another_chunk_length_cuts_anew_and_says_so(harness: IndexHarness) -> None:
    """Documents of the run are cut anew; of others the report says that they are not."""
    harness.files.write("/other/far.txt", "Far away.")
    harness.files.write("/docs/long.txt", "One sentence is here. " * 40)
    harness.index("/docs", "/other")
    planned = harness.preview("/docs", chunk_chars=400)
    assert {"changed"} == {file.status for file in planned.files}
    report = harness.index("/docs", chunk_chars=400)
    assert {"indexed"} == {file.status for file in report.files[:3]}
    assert all("cut anew with chunk_chars=400" in r.files[0].reason for r in (planned, report))
    assert ("/other/far.txt", "unchanged") == outcomes(report)[3]
    assert "still cut with chunk_chars=200" in report.files[3].reason
    assert {"", "still"} == {file.reason[:5] for file in harness.index(chunk_chars=400).files}


def test_an_interrupted_run_is_continued(
    harness: IndexHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written before the model failed is not embedded again, nor shown too early."""
    embed = harness.embedder.embed

    def down(texts: Sequence[str]) -> list[list[float]]:
        if any("1184" in text for text in texts):
            raise ModelUnavailableError("down")
        return embed(texts)

    monkeypatch.setattr(harness.embedder, "embed", down)
    with pytest.raises(ModelUnavailableError):
        harness.index()
    assert 2 == sum(record.chunks for record in harness.writer.documents())
    monkeypatch.undo()
    report = harness.index()
    assert [("bread.txt", "indexed"), ("keys.txt", "indexed")] == outcomes(report)
    assert (1, 3) == (report.embedded, len(harness.chunk_ids()))


def test_equal_texts_are_embedded_once_and_contents_never(harness: IndexHarness) -> None:
    """A repeated paragraph costs one vector; a table of contents can be read and has none.

    A document that holds nothing but references is searched.
    """
    contents = f"{CONTENTS}\n\n{BREAD}"
    only(harness, a="Same here.\n\nBetween.\n\nSame here.", b="Same here.", c=contents, d=LIST)
    report = harness.index()
    chunks, vectors = harness.kept()
    kinds = [chunk.kind for chunk in chunks]

    assert (8, 7, 7) == (report.chunks, report.embedded, len(harness.embedder.asked))
    assert (["contents", *["text"] * 7], 9) == (sorted(kinds), vectors)


def test_progress_is_told(harness: IndexHarness) -> None:
    """Each file is announced, and so are the texts embedded so far."""
    harness.files.texts["/docs/bread.txt"] = "\n\n".join(f"{n} is a number." for n in range(100))
    harness.index()
    assert [(0, 0), (64, 100), (100, 100)] == [
        (told.embedded, told.texts) for told in harness.progress if "bread" in told.path
    ]
    assert {(1, 2), (2, 2)} == {(told.number, told.total) for told in harness.progress}


def test_a_preview_names_every_kind_of_change(harness: IndexHarness) -> None:
    """And the run after it does just that."""
    for name in ("gone", "old", "touched"):
        harness.files.write(f"/docs/{name}.txt", f"A text of {name}.")
    harness.index()
    before = harness.chunk_ids()
    harness.files.write("/docs/bread.txt", f"Water boils. {BREAD}")
    harness.files.write("/docs/fresh.txt", "Fresh.")
    harness.files.write("/docs/touched.txt", "A text of touched.")
    del harness.files.texts["/docs/gone.txt"]
    harness.files.move("/docs/old.txt", "/docs/renamed.txt")
    harness.files.left_alone = [FileReport("/docs/image.png", "skipped", "no reader for .png")]
    report = harness.preview()
    assert (before, 5) == (harness.chunk_ids(), report.documents)
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
        harness.index()
    )
