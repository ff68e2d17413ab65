"""Bringing an index up to date: previews, the vectors of other indexes, and rebuilding."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest

from research_agent import errors
from research_agent.assembly.updating import LEFT_OUT, preview_index
from research_agent.index.adapters.embedding_cache import EmbeddingCache
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ray_workers import RayWorkers
from research_agent.index.ports import Made, Task
from research_agent.index.run import DAMAGED
from research_agent.settings import Settings
from research_agent.types.documents import FileReport, IndexReport
from tests.fakes import WordEmbedder, embedding
from tests.indexing import change, opened, update
from tests.needed import needed_package
from tests.rot import rot


class FailingEmbedder(WordEmbedder):
    """A server that goes down after seventy texts."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if len(self.asked) + len(texts) > 70:
            raise errors.ModelUnavailableError("down")
        return super().embed(texts)


def preview(docs: Path, *, model: str = "words", rebuild: bool = False) -> IndexReport:
    paths = [str(docs)]
    return preview_index("default", paths, Settings(), model=model, rebuild=rebuild)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_what_is_damaged_is_read_again(docs: Path, data_home: Path) -> None:
    """A changed letter is noticed by a search, by a preview and by a run, which mends it."""
    update(docs)
    rot(locate("default").path, "chunk")
    assert data_home.exists()
    with pytest.raises(errors.IndexDamagedError, match=r"bread.txt is damaged") as told:
        opened()
    (planned,) = (file for file in preview(docs).files if file.status != "unchanged")
    elsewhere = update(docs / "keys.txt")
    report = update(docs)

    assert "index" in told.value.hint
    assert ("changed", DAMAGED) == (planned.status, planned.reason)
    assert [("failed", f"{DAMAGED}: index its folder again")] == [
        (file.status, file.reason) for file in elsewhere.files if "bread" in file.path
    ]
    mended = report.files[0]
    assert ("indexed", DAMAGED) == (mended.status, mended.reason.partition(";")[0])
    assert 1 == report.count("unchanged")
    assert 2 == update(docs).count("unchanged")
    opened().close()


def test_a_ledger_that_sqlite_finds_damaged_is_never_unchanged(docs: Path) -> None:
    """Its own check runs before anything is said; `--rebuild` makes it anew."""
    update(docs)
    rot(locate("default").path, "index")
    for run in (update, preview):
        with pytest.raises(errors.IndexDamagedError, match="damaged"):
            run(docs)

    assert 2 == update(docs, rebuild=True).count("indexed")


def test_a_preview_writes_nothing(docs: Path, data_home: Path) -> None:
    """Neither does it make an index, nor touch one; its counts are those of the run."""
    assert 2 == preview(docs).count("added")
    assert not data_home.exists()
    update(docs)
    (docs / "bread.txt").unlink()
    (docs / "cake.txt").write_text("Cake.")
    before = tree(data_home)
    report = preview(docs)
    assert (1, 1, 1) == tuple(map(report.count, ("added", "removed", "unchanged")))
    assert 2 == preview(docs, rebuild=True).count("added")
    assert before == {path: data for path, data in tree(data_home).items() if path in before}
    assert all(path.endswith(("-shm", "-wal")) for path in tree(data_home).keys() - before.keys())


def test_another_index_with_the_same_texts_embeds_nothing(docs: Path, tmp_path: Path) -> None:
    """Its vectors come from the cache, to the last bit."""
    with EmbeddingCache(tmp_path / "cache") as cache:
        first = update(docs, name="one", cache=cache)
        embedder = WordEmbedder()
        second = update(docs, name="two", embedder=embedder, cache=cache)
    assert (3, 0, []) == (first.embedded, second.embedded, embedder.asked)
    found = []
    for name in ("one", "two"):
        with opened(name) as index:
            found.append(index.vectors.search(embedding("A key of 1184 bytes"), k=9))
    assert found[0] == found[1]


def test_an_interrupted_document_goes_on_from_the_cache(docs: Path, tmp_path: Path) -> None:
    """Not even the texts of the document that was being embedded are embedded again."""
    (docs / "long.txt").write_text("\n\n".join(f"{n} is a number here." for n in range(100)))
    with EmbeddingCache(tmp_path / "cache") as cache:
        embedder = FailingEmbedder()
        with pytest.raises(errors.ModelUnavailableError):
            update(docs, embedder=embedder, cache=cache)
        assert 103 == len(embedder.asked) + update(docs, cache=cache).embedded


def test_a_rebuild_embeds_anew(docs: Path, tmp_path: Path) -> None:
    """It trusts no kept vector: the model behind a name may have changed."""
    with EmbeddingCache(tmp_path / "cache") as cache:
        update(docs, cache=cache)
        assert 3 == update(docs, cache=cache, rebuild=True).embedded
        assert 0 == update(docs, name="two", cache=cache).embedded


def test_readers_notice_a_rebuilt_index(docs: Path) -> None:
    """They search the old files until they open the index again, and the old ones are gone."""
    update(docs)
    old = locate("default").current()
    with opened() as index:
        (docs / "bread.txt").unlink()
        update(docs, rebuild=True)
        assert not index.is_current()
        assert 3 == len(index.vectors.search(embedding("bread"), k=9))
        assert 3 == len(
            index.chunks.chunks([h.chunk_id for h in index.vectors.search([1.0] * 256, k=9)])
        )
    new = locate("default").current()
    assert (0, 1) == (old.number, new.number)
    assert not old.ledger.exists()
    with opened() as index:
        assert index.is_current()
        assert 2 == len(index.vectors.search(embedding("bread"), k=9))


def test_a_rebuild_that_fails_leaves_the_old_index(docs: Path) -> None:
    """Nothing of the new one is left, and readers never saw it."""
    update(docs)
    failing = FailingEmbedder()
    failing.asked = ["text"] * 70
    with pytest.raises(errors.ModelUnavailableError):
        update(docs, embedder=failing, rebuild=True)
    assert 0 == locate("default").current().number
    assert [] == list(locate("default").path.glob("edition-*"))
    assert 2 == update(docs).count("unchanged")


def test_a_rebuild_names_what_is_left_out(docs: Path) -> None:
    """Also documents of an index of an older version, which is refused until then."""
    update(docs)
    (docs / "bread.txt").unlink()
    columns = ("quality", "unresolved")
    change(
        locate("default").current().ledger,
        *(f"ALTER TABLE documents DROP COLUMN {column}" for column in columns),
        "PRAGMA user_version = 1",
    )
    for run in (update, preview):
        with pytest.raises(errors.IndexMismatchError, match="version 1"):
            run(docs)
    gone = FileReport(str(docs / "bread.txt"), "removed", LEFT_OUT)

    assert gone == preview(docs, rebuild=True).files[-1]
    assert gone == update(docs, rebuild=True).files[-1]
    assert [] == [file for file in update(docs, rebuild=True).files if file.status == "removed"]
    with opened() as index:
        assert 1 == index.header.documents


def test_an_unreadable_mark_shows_the_oldest_edition(docs: Path) -> None:
    """A newer one may be half of a rebuild; the next rebuild mends the mark."""
    update(docs)
    folder = locate("default")
    (folder.path / "edition-1").mkdir()
    (folder.path / "edition-1" / "ledger.sqlite3").write_bytes(b"half")
    (folder.path / "research-agent-index.json").write_text("{")
    assert 0 == folder.current().number
    assert ("edition-1",) == folder.leftovers()
    update(docs, rebuild=True)
    assert {"format": 1, "edition": 1} == json.loads(
        (folder.path / "research-agent-index.json").read_text()
    )
    assert () == folder.leftovers()


def test_workers_read_and_embed_also_where_vectors_are_cached(docs: Path, tmp_path: Path) -> None:
    """This process embeds nothing, whatever cache it has."""
    needed_package("lancedb", "cluster")
    embedder, asked = WordEmbedder(), list[str]()

    def made(tasks: Iterable[Task]) -> Iterator[tuple[Task, Made]]:
        for task in tasks:
            asked.append(Path(task.file.path).name)
            yield task, Made(report=FileReport(task.file.path, "failed", "by a worker"))

    with EmbeddingCache(tmp_path / "cache") as cache:
        workers = Mock(spec=RayWorkers, made=made)
        name = f"lance:{tmp_path / 'shared'}"
        report = update(docs, name=name, embedder=embedder, cache=cache, workers=workers)
    assert ["bread.txt", "keys.txt"] == sorted(asked)
    assert [] == embedder.asked
    assert {"by a worker"} == {file.reason for file in report.files}
