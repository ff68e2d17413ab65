"""Dense search: exact and approximate agree, ties have an order, Chroma follows the ledger."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from research_agent.errors import IndexDamagedError, IndexingError, IndexMismatchError
from research_agent.index.adapters.vectors.chroma import opened, shown, spoil, sync
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.index.exact_vectors import ExactVectors
from research_agent.text.unit_vectors import unit_vector
from tests.indexing import ids

Vectors = dict[str, list[float]]


def unit(*numbers: float) -> list[float]:
    return unit_vector(numbers)


def clustered(count: int) -> Vectors:
    """Return vectors in twenty tight bundles, two windows for every tenth chunk."""
    found: Vectors = {}
    for number in range(count):
        centre = [1.0 if number % 20 == axis else 0.05 for axis in range(32)]
        for window in range(2 if number % 10 == 0 else 1):
            spread = [((number * 31 + axis * 17 + window * 7) % 101) / 1000 for axis in range(32)]
            name = f"c{number:04}#{window}"
            found[name] = unit(*(a + b for a, b in zip(centre, spread, strict=True)))
    return found


class Source:
    """Vectors as the ledger gives them, and which were asked for."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.asked: list[str] = []

    def digests(self) -> Mapping[str, str]:
        return {name: str(vector) for name, vector in self.vectors.items()}

    def fetch(self, names: Sequence[str]) -> list[list[float]]:
        self.asked += names
        return [self.vectors[name] for name in names]

    def matrix(self, chunk_ids: Sequence[str]) -> tuple[list[str], NDArray[np.float32]]:
        names = [name for name in self.vectors if name.partition("#")[0] in set(chunk_ids)]
        return names, np.array([self.vectors[name] for name in names], dtype=np.float32)

    def exact(self) -> ExactVectors:
        return ExactVectors(list(self.vectors), list(self.vectors.values()))

    def near(self, folder: Path, generation: int) -> ApproximateVectors:
        files = shown(folder, generation)
        assert files
        return ApproximateVectors(opened(files), self.matrix, dimension=32)

    def sync(self, folder: Path, generation: int) -> list[str]:
        self.asked = []
        sync(folder, generation, self.digests(), self.fetch)
        return sorted(self.asked)


def test_the_best_window_of_a_chunk_counts() -> None:
    """A chunk is found once, with the cosine of its best window."""
    index = ExactVectors(["a#0", "a#1", "b#0"], [[1, 0], [0, 1], [0.6, 0.8]])
    found = index.search([0.0, 2.0], k=5)
    assert [("a", 1.0), ("b", pytest.approx(0.8))] == [(hit.chunk_id, hit.value) for hit in found]
    assert [pytest.approx(0.8), 1.0, 0.0] == index.similarities([0.0, 1.0], ["b", "a", "unknown"])
    assert ["a"] == ids(index.search([0.0, 1.0], k=1))


def test_ties_are_ordered_by_id() -> None:
    """Equal vectors get equal values, wherever they stand, and the smaller id comes first."""
    same = unit(0.1, 0.7, -0.3, 0.2)
    names = [f"c{number}#0" for number in (7, 3, 9, 1, 5)]
    found = ExactVectors(names, [same] * 5).search(unit(0.3, 0.3, 0.1, 0.9), k=3)
    assert ["c1", "c3", "c5"] == ids(found)
    assert 1 == len({hit.value for hit in found})


def test_every_chunk_is_found_when_all_are_wanted() -> None:
    """More chunks than there are is no error, however many windows share the first places."""
    many = {f"a#{number}": unit(1, number / 1000) for number in range(50)}
    index = ExactVectors([*many, "b#0", "c#0"], [*many.values(), unit(0, 1), unit(-1, 0)])
    assert ["a", "b", "c"] == ids(index.search([1.0, 0.0], k=9))
    assert [] == index.search([1.0, 0.0], k=0)
    assert [] == ExactVectors([], []).search([1.0], k=3)
    assert [0.0] == ExactVectors([], []).similarities([1.0], ["a"])
    with pytest.raises(IndexMismatchError, match="3 numbers, those of the index 2"):
        index.search([1.0, 0.0, 0.0], k=1)


def test_exact_and_approximate_search_agree(tmp_path: Path) -> None:
    """The same chunks, order and cosines."""
    source = Source(clustered(400))
    source.sync(tmp_path / "v", 1)
    exact, near = source.exact(), source.near(tmp_path / "v", 1)
    for query in list(source.vectors.values())[::37]:
        for k in (1, 15, 400):
            assert exact.search(query, k=k) == near.search(query, k=k)
        wanted = ["c0010", "unknown", "c0003"]
        assert exact.similarities(query, wanted) == near.similarities(query, wanted)
    with pytest.raises(IndexMismatchError):
        near.search([1.0], k=1)
    assert [] == near.similarities(unit(*[1.0] * 32), [])
    near.close()


def test_only_new_and_changed_vectors_are_written(tmp_path: Path) -> None:
    """A second sync fetches what is new or changed and drops what is gone, all of it too."""
    folder, source = tmp_path / "v", Source(clustered(30))
    assert sorted(source.vectors) == source.sync(folder, 1)
    del source.vectors["c0001#0"], source.vectors["c0010#1"]
    source.vectors |= {"c0002#0": unit(*[1.0] * 32), "new#0": unit(*[2.0] * 31, 1.0)}
    assert ["c0002#0", "new#0"] == source.sync(folder, 2)
    assert [] == source.sync(folder, 3)
    index = source.near(folder, 3)
    assert 30 == len(index.search(unit(*[1.0] * 32), k=99))
    assert "c0002" == index.search(unit(*[1.0] * 32), k=1)[0].chunk_id
    index.close()
    source.vectors.clear()
    source.sync(folder, 4)
    empty = source.near(folder, 4)
    assert [] == empty.search(unit(*[1.0] * 32), k=1)
    empty.close()


def test_readers_go_on_with_the_generation_before(tmp_path: Path) -> None:
    """Files that are open are neither written to nor deleted by the next sync."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)
    query = source.vectors["c0003#0"]
    index = source.near(folder, 1)
    before = index.search(query, k=99)
    source.sync(folder, 2)
    again = source.near(folder, 1)
    assert [before] * 2 == [index.search(query, k=99), again.search(query, k=99)]
    index.close()
    assert before == again.search(query, k=99)
    again.close()
    source.sync(folder, 3)
    assert ["2", "3"] == sorted(path.name for path in folder.iterdir())


def test_a_journal_of_a_reader_that_vanishes_is_not_missed(tmp_path: Path) -> None:
    """Chroma writes to the files that it reads; the copy is of its database alone."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)
    (folder / "1" / "chroma.sqlite3-journal").symlink_to(tmp_path / "gone")
    assert [] == source.sync(folder, 2)


def test_a_write_that_is_cut_off_leaves_the_old_files(tmp_path: Path) -> None:
    """What was there before is as it was, and the next sync goes on from there."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)

    def killed(names: Sequence[str]) -> list[list[float]]:
        raise KeyboardInterrupt(names)

    source.vectors["new#0"] = unit(*[1.0] * 32)
    with pytest.raises(KeyboardInterrupt):
        sync(folder, 2, source.digests(), killed)
    assert shown(folder, 1)
    assert not shown(folder, 2)
    (folder / "3.new").mkdir()
    (folder / "from-before").touch()
    assert ["new#0"] == source.sync(folder, 2)
    assert ["1", "2"] == sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["header.bin", "data_level0.bin", "link_lists.bin", "note"])
def test_damaged_files_are_not_opened_but_made_anew(tmp_path: Path, name: str) -> None:
    """What could end the process is told by its note; the vectors come from the ledger again."""
    folder, source = tmp_path / "v", Source(clustered(1100))
    source.sync(folder, 1)
    (graph,) = (folder / "1").glob("*/data_level0.bin")
    damaged = folder / "1" / "current.json" if name == "note" else graph.parent / name
    data = damaged.read_bytes()
    damaged.write_bytes(b"x" + data[1 : len(data) // 2])
    assert not shown(folder, 1)
    assert sorted(source.vectors) == source.sync(folder, 1)
    index, query = source.near(folder, 1), source.vectors["c0003#0"]
    assert source.exact().search(query, k=9) == index.search(query, k=9)
    index.close()


def test_a_damaged_database_is_an_error(tmp_path: Path) -> None:
    """What Chroma's note does not cover is told when it is opened; a spoilt one is made anew."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)
    (folder / "1" / "chroma.sqlite3").write_bytes(b"no database")
    with pytest.raises(IndexDamagedError):
        source.near(folder, 1)
    assert sorted(source.vectors) == source.sync(folder, 2)
    spoil(folder)
    assert not shown(folder, 2)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the cause and the cure, and the old files stay."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)

    def full(_source: Path, _target: Path, **_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(IndexingError, match="No space left") as caught:
        source.sync(folder, 2)
    assert "free space" in caught.value.hint
    assert ["1"] == [path.name for path in folder.iterdir()]
    assert shown(folder, 1)
