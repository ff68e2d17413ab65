"""An index on disk, from files to hits: current, damaged, missing, locked, rebuilt, removed."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent import errors
from research_agent.assembly.index import OpenIndex, list_indexes, open_index, remove_index
from research_agent.index.adapters.folders import locate
from research_agent.settings import IndexSettings, Settings
from tests.fakes import WordEmbedder, embedding
from tests.indexing import SETTINGS, ids, opened, update

APPROXIMATE = replace(SETTINGS, index=IndexSettings(exact_below=0))
QUESTION = "Which key has 1184 bytes?"


def best(index: OpenIndex) -> tuple[str, str]:
    """Return the texts that dense search and word search put first."""
    dense = index.vectors.search(embedding(QUESTION), k=2)
    words = index.lexical.search(QUESTION, k=2)
    first, second = index.chunks.chunks([dense[0].chunk_id, words[0].chunk_id])
    return first.text, second.text


KEY = "An ML-KEM-768 key has 1184 bytes."


def test_indexed_documents_are_found(docs: Path) -> None:
    """Both indexes find the chunk, and the ledger has its text, place and name."""
    report = update(docs)
    assert (3, 2, 3) == (report.chunks, report.documents, report.embedded)
    with opened() as index:
        assert (KEY, KEY) == best(index)
        (chunk,) = index.chunks.chunks(ids(index.lexical.search("ML-KEM-768", k=1)))
        assert ("keys", str(docs / "keys.txt")) == (chunk.doc_id, chunk.source)
        assert ("words", 256) == (index.header.model, index.header.dimension)


def test_no_index_says_how_to_make_one(docs: Path, tmp_path: Path) -> None:
    """A missing index names the command; it is not made by looking for it."""
    for name, hint in (("default", "research-agent index PATH"), (f"{tmp_path}/x", "--index")):
        with pytest.raises(errors.IndexMissingError) as caught:
            opened(name)
        assert hint in caught.value.hint
    assert [] == list_indexes()
    assert ["docs"] == [path.name for path in docs.parent.iterdir()]


@pytest.mark.parametrize("settings", [SETTINGS, APPROXIMATE])
def test_a_second_run_embeds_nothing_and_touches_no_cache(docs: Path, settings: Settings) -> None:
    """Nothing changed, so nothing is written but times."""
    update(docs, settings=settings)
    files = [path for path in locate("default").path.rglob("*.*") if "ledger" not in path.name]
    before = {path: path.stat().st_mtime_ns for path in files}
    embedder = WordEmbedder()
    report = update(docs, embedder=embedder, settings=settings)
    assert (2, 0, []) == (report.count("unchanged"), report.embedded, embedder.asked)
    assert before == {path: path.stat().st_mtime_ns for path in files}


def test_changes_reach_both_indexes(docs: Path) -> None:
    """A changed, a renamed and a deleted file are seen by word search and dense search."""
    update(docs)
    with opened() as index:
        (docs / "keys.txt").write_text("A new key has 99 bytes.")
        (docs / "bread.txt").rename(docs / "loaf.txt")
        assert index.is_current()
        report = update(docs)
        assert not index.is_current()
        assert (1, 2) == (report.embedded, report.documents)
    with opened() as index:
        assert ("A new key has 99 bytes.",) * 2 == best(index)
        (bread,) = index.chunks.chunks(ids(index.lexical.search("bread", k=3)))
        assert ("loaf", 2) == (bread.doc_id, len(index.vectors.search(embedding("x"), k=9)))
    (docs / "loaf.txt").unlink()
    assert 1 == update(docs).count("removed")
    with opened() as index:
        assert [] == index.lexical.search("bread", k=3)


@pytest.mark.parametrize("lost", ["words", "vectors", "both", "damaged"])
def test_lost_caches_are_made_again_without_embedding(docs: Path, lost: str) -> None:
    """Opening brings both indexes back from the ledger alone."""
    update(docs, settings=APPROXIMATE)
    files = locate("default").current()
    if lost in {"words", "both"}:
        files.words.unlink()
    if lost in {"vectors", "both"}:
        shutil.rmtree(files.vectors)
    if lost == "damaged":
        files.words.write_bytes(b"no database" * 999)
        (files.vectors / "1" / "chroma.sqlite3").write_bytes(b"no database" * 999)
    for _ in range(2):
        with opened(settings=APPROXIMATE) as index:
            assert ((KEY, KEY), ()) == (best(index), index.warnings)
    assert files.words.is_file()
    assert (files.vectors / "1" / "chroma.sqlite3").is_file()


def test_readers_do_not_wait_for_the_writer(docs: Path) -> None:
    """While another process writes, caches that are not current are replaced in memory."""
    update(docs, settings=APPROXIMATE)
    files = locate("default").current()
    shutil.rmtree(files.vectors)
    files.words.unlink()
    with locate("default").locked(), opened(settings=APPROXIMATE) as index:
        assert (KEY, KEY) == best(index)
        (warning,) = index.warnings
        assert "all are compared one by one. Make them again: research-agent index PATH" in warning
        assert not files.vectors.exists()


class OtherEmbedder(WordEmbedder):
    """The same vectors under another name."""

    name = "other"


def test_another_model_is_refused_until_rebuilt(docs: Path) -> None:
    """Neither reading nor writing mixes models; --rebuild makes the index anew."""
    update(docs)
    for act in (
        lambda: open_index("default", SETTINGS, embedder=OtherEmbedder()),
        lambda: update(docs, embedder=OtherEmbedder()),
    ):
        with pytest.raises(errors.IndexMismatchError, match="words, not with other") as caught:
            act()
        assert "research-agent index --rebuild PATH" in caught.value.hint
    assert 3 == update(docs, embedder=OtherEmbedder(), rebuild=True).embedded
    with open_index("default", SETTINGS, embedder=OtherEmbedder()) as index:
        assert (KEY, KEY) == best(index)


def test_rebuilding_cures_a_damaged_ledger(docs: Path) -> None:
    """A ledger that is no database is told, and made anew with --rebuild."""
    update(docs)
    locate("default").current().ledger.write_bytes(b"no database" * 999)
    with pytest.raises(errors.IndexDamagedError, match="damaged"):
        opened()
    assert "damaged" in list_indexes()[0].problem
    update(docs, rebuild=True)
    with opened() as index:
        assert (KEY, KEY) == best(index)


def test_a_path_that_cannot_be_read_costs_nothing(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither does it leave a new, empty index behind, nor does --rebuild take the old one."""
    with pytest.raises(errors.PathError):
        update(docs / "nowhere", name="new")
    assert [] == list_indexes()
    update(docs)
    with pytest.raises(errors.PathError):
        update(docs / "nowhere", rebuild=True)

    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        with pytest.raises(errors.PathError, match="Permission denied"):
            update(docs, rebuild=True)
    with opened() as index:
        assert ((KEY, KEY), 2) == (best(index), index.header.documents)


def test_indexes_are_listed_and_removed(docs: Path, tmp_path: Path) -> None:
    """Several indexes live beside each other; a path of one's own is not in the list."""
    update(docs)
    update(docs / "bread.txt", name="baking")
    update(docs, name=str(tmp_path / "mine"))
    listed = list_indexes()
    assert ["baking", "default"] == [info.name for info in listed]
    header = listed[0].header
    assert header
    assert (1, 1, "words") == (header.documents, header.chunks, header.model)
    assert header.changed.startswith("20")
    assert listed[0].bytes_on_disk > 10_000
    for name in ("baking", str(tmp_path / "mine")):
        assert not Path(remove_index(name)).exists()
    assert ["default"] == [info.name for info in list_indexes()]
    with pytest.raises(errors.IndexMissingError):
        remove_index("baking")
    with pytest.raises(errors.IndexMissingError):
        remove_index(str(docs))
    assert (docs / "keys.txt").is_file()
