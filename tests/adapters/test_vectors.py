"""Dense search: exact and approximate agree, ties have an order, Chroma follows the ledger."""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import cast

import chromadb
import pytest
from chromadb.api.client import Client
from chromadb.config import Settings

from research_agent.adapters.vectors.approximate import ApproximateVectors
from research_agent.adapters.vectors.chroma import COLLECTION, opened, shown_generation, sync
from research_agent.adapters.vectors.exact import ExactVectors
from research_agent.adapters.vectors.reading import open_vectors
from research_agent.core.records import VectorKey
from research_agent.errors import IndexDamagedError, IndexMismatchError
from tests.fakes import dot
from tests.indexing import ids

Vectors = dict[str, list[float]]


def unit(*numbers: float) -> list[float]:
    length = sqrt(dot(numbers, numbers))
    return [number / length for number in numbers]


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

    def keys(self) -> Mapping[str, VectorKey]:
        chunks = [name.partition("#")[0] for name in self.vectors]
        return {
            name: VectorKey(str(vector), chunks.count(name.partition("#")[0]))
            for name, vector in self.vectors.items()
        }

    def fetch(self, names: Sequence[str]) -> list[list[float]]:
        self.asked += names
        return [self.vectors[name] for name in names]

    def sync(self, folder: Path, generation: int) -> list[str]:
        self.asked = []
        sync(folder, generation, self.keys(), self.fetch)
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


def test_vectors_of_another_length_are_refused() -> None:
    """A question embedded by another model is told from a bad match."""
    with pytest.raises(IndexMismatchError, match="3 numbers, those of the index 2"):
        ExactVectors(["a#0"], [[1, 0]]).search([1.0, 0.0, 0.0], k=1)


def test_exact_and_approximate_search_agree(tmp_path: Path) -> None:
    """On clustered vectors both give the same chunks, order and cosines."""
    source = Source(clustered(400))
    source.sync(tmp_path / "v", 1)
    exact = open_vectors(tmp_path / "v", 1, dimension=32, exact_below=1000)
    near = open_vectors(tmp_path / "v", 1, dimension=32, exact_below=0)
    assert (ExactVectors, ApproximateVectors) == (type(exact), type(near))
    for query in list(source.vectors.values())[::37]:
        for k in (1, 15, 400):
            found, expected = near.search(query, k=k), exact.search(query, k=k)
            assert ids(expected) == ids(found)
            assert [h.value for h in expected] == pytest.approx([h.value for h in found], abs=1e-6)
        wanted = ["c0010", "unknown", "c0003"]
        assert exact.similarities(query, wanted) == pytest.approx(near.similarities(query, wanted))
    with pytest.raises(IndexMismatchError):
        near.search([1.0], k=1)
    assert [] == near.similarities(unit(*[1.0] * 32), [])
    near.close()
    exact.close()


def test_only_new_and_changed_vectors_are_written(tmp_path: Path) -> None:
    """A second sync fetches what is new or changed and drops what is gone."""
    folder, source = tmp_path / "v", Source(clustered(30))
    assert sorted(source.vectors) == source.sync(folder, 1)
    del source.vectors["c0001#0"], source.vectors["c0010#1"]
    source.vectors |= {"c0002#0": unit(*[1.0] * 32), "new#0": unit(*[2.0] * 31, 1.0)}
    assert ["c0002#0", "c0010#0", "new#0"] == source.sync(folder, 2)
    assert [] == source.sync(folder, 3)
    index = open_vectors(folder, 3, dimension=32, exact_below=1000)
    assert 30 == len(index.search(unit(*[1.0] * 32), k=99))
    assert "c0002" == index.search(unit(*[1.0] * 32), k=1)[0].chunk_id


def test_an_empty_index_has_no_hits(tmp_path: Path) -> None:
    """All vectors can go; then nothing is found."""
    source = Source(clustered(3))
    source.sync(tmp_path / "v", 1)
    source.vectors.clear()
    source.sync(tmp_path / "v", 2)
    assert [] == open_vectors(tmp_path / "v", 2, dimension=32, exact_below=9).search([1.0], k=1)


def test_files_of_an_unclean_stop_are_never_opened(tmp_path: Path) -> None:
    """A write that was cut off leaves no note, and the next sync starts from nothing."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)

    def killed(names: Sequence[str]) -> list[list[float]]:
        raise KeyboardInterrupt(names)

    source.vectors["new#0"] = unit(*[1.0] * 32)
    with pytest.raises(KeyboardInterrupt):
        sync(folder, 2, source.keys(), killed)
    assert 0 == shown_generation(folder)
    with pytest.raises(IndexDamagedError, match="do not show"):
        open_vectors(folder, 1, dimension=32, exact_below=1000)
    kept = folder / "from-before"
    kept.touch()
    assert sorted(source.vectors) == source.sync(folder, 2)
    assert not kept.exists()
    assert 2 == shown_generation(folder)


@pytest.mark.parametrize("damage", ["database", "state", "space"])
def test_damaged_files_are_made_anew(tmp_path: Path, damage: str) -> None:
    """What Chroma cannot read, or reads in another space, is an error for readers and rebuilt."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)
    if damage == "database":
        (folder / "chroma.sqlite3").write_bytes(b"no database " * 400)
    elif damage == "state":
        (folder / "current.json").write_text("[]")
    else:
        with_l2_space(folder)
    with pytest.raises(IndexDamagedError):
        open_vectors(folder, 1, dimension=32, exact_below=1000)
    assert sorted(source.vectors) == source.sync(folder, 1)
    index = open_vectors(folder, 1, dimension=32, exact_below=1000)
    assert 30 == len(index.search(source.vectors["c0003#0"], k=99))


def with_l2_space(folder: Path) -> None:
    """Replace the collection by one that compares otherwise."""
    settings = Settings(anonymized_telemetry=False)
    with cast("Client", chromadb.PersistentClient(folder, settings=settings)) as client:
        client.delete_collection(COLLECTION)
        client.create_collection(
            COLLECTION, configuration={"hnsw": {"space": "l2"}}, embedding_function=None
        )


def test_lost_vectors_are_noticed(tmp_path: Path) -> None:
    """Fewer vectors than were written are not searched as if they were all."""
    folder, source = tmp_path / "v", Source(clustered(30))
    source.sync(folder, 1)
    with opened(folder) as collection:
        collection.delete(ids=["c0003#0"])
    with pytest.raises(IndexDamagedError, match="lost"):
        open_vectors(folder, 1, dimension=32, exact_below=1000)
