"""Vectors of other indexes: kept, shared, bounded, and never in the way."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from research_agent.index.adapters import embedding_cache
from research_agent.index.adapters.embedding_cache import FILE_NAME, EmbeddingCache
from tests.fakes import embedding

VECTORS = {"a": [0.5, -1.0], "b": [0.25, 3.0]}


def kept(folder: Path, *digests: str, model: str = "m") -> dict[str, list[float]]:
    with EmbeddingCache(folder) as cache:
        return cache.get(model, digests)


def test_vectors_are_found_by_model_and_digest(tmp_path: Path) -> None:
    """What was put is found by another one who opens the file; a second put replaces it."""
    with EmbeddingCache(tmp_path) as cache:
        cache.put("m", VECTORS)
        cache.put("other", {"a": [1.0]})
        assert VECTORS == cache.get("m", ["a", "b", "c", "a"])
        assert {} == cache.get("m", [])
        cache.put("m", {"a": [2.0, 2.0]})
    assert {"a": [2.0, 2.0]} == kept(tmp_path, "a")
    assert {"a": [1.0]} == kept(tmp_path, "a", "b", model="other")
    assert 0o600 == (tmp_path / FILE_NAME).stat().st_mode & 0o777


def test_the_oldest_make_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file stays below its bound; what was used lately stays longest."""
    days = iter(range(1, 1000))
    monkeypatch.setattr(embedding_cache, "_today", lambda: next(days))
    monkeypatch.setattr(embedding_cache, "MAX_BYTES", 300_000)
    with EmbeddingCache(tmp_path) as cache:
        for number in range(400):
            cache.put("m", {str(number): embedding(f"word {number}")})
            assert "0" in cache.get("m", ["0"])
        assert "399" in cache.get("m", ["399"])
        assert {} == cache.get("m", ["1", "2", "3"])
    assert (tmp_path / FILE_NAME).stat().st_size < 400_000


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    """There are no vectors in it, and a new file takes its place."""
    many = {str(number): embedding(str(number)) for number in range(600)}
    with EmbeddingCache(tmp_path) as cache:
        cache.put("m", many)
        assert many.keys() == cache.get("m", many).keys()
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes()[:4096] + bytes(file.stat().st_size - 4096))
    with EmbeddingCache(tmp_path) as cache:
        assert {} == cache.get("m", many)
        cache.put("m", VECTORS)
        assert VECTORS == cache.get("m", ["a", "b"])


def test_without_a_place_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be made, and a file that is in use for too long, are no errors."""
    monkeypatch.setattr(EmbeddingCache, "BUSY_SECONDS", 0.01)
    (tmp_path / "file").touch()
    with EmbeddingCache(tmp_path / "file") as cache:
        cache.put("m", VECTORS)
        assert {} == cache.get("m", ["a"])
    with EmbeddingCache(tmp_path) as cache:
        cache.put("m", VECTORS)
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            cache.put("m", {"c": [1.0]})
            assert VECTORS == cache.get("m", ["a", "b", "c"])
        cache.put("m", {"c": [1.0]})
        assert {"c": [1.0]} == cache.get("m", ["c"])
