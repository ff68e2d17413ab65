"""Vectors on a Chroma server: the ledger stays the truth, whatever becomes of the server."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.diagnosis.diagnosing import diagnose
from research_agent.assembly.index import OpenIndex
from research_agent.errors import ConfigError
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.settings import IndexSettings, Settings
from research_agent.types import ScoredId
from tests.assembly.test_index import QUESTION
from tests.fakes import embedding
from tests.indexing import SETTINGS, opened, update


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server on a free port of loopback."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chroma = Path(sys.executable).with_name("chroma")
    where = ["--host", "127.0.0.1", "--port", str(port)]
    data = tmp_path_factory.mktemp("chroma")
    server = subprocess.Popen(
        [chroma, "run", "--path", str(data), *where],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with closing(socket.socket()) as trying:
                if trying.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def settings(url: str) -> Settings:
    return replace(SETTINGS, index=IndexSettings(vectors=url))


def looked(settings: Settings) -> list[str]:
    found = diagnose("default", lambda: settings, {}, ask=False)
    return [f"{one.level}: {one.what}" for one in found if one.part == "index"]


def found(settings: Settings) -> tuple[list[ScoredId], tuple[str, ...]]:
    """Return what dense search finds, and the warnings."""
    with opened(settings=settings) as index:
        return list(index.vectors.search(embedding(QUESTION), k=3)), index.warnings


def test_a_server_answers_as_exact_search_does(docs: Path, settings: Settings) -> None:
    """Also after a change, and after a rebuild with vectors of another length."""
    update(docs, settings=settings)
    assert (found(SETTINGS)[0], ()) == found(settings)
    assert any("on http://127.0.0.1" in line and "3 entries" in line for line in looked(settings))
    (docs / "keys.txt").write_text("A key has 1184 bytes.")
    update(docs, settings=settings)
    first, second = found(settings)[0]
    assert first.value > second.value
    with opened(settings=settings) as index:
        assert isinstance(index, OpenIndex)
        assert isinstance(index.vectors, ApproximateVectors)


def test_without_its_server_vectors_are_compared_one_by_one(docs: Path, settings: Settings) -> None:
    """A server that is away, or shows another state, is a warning with the cure."""
    update(docs, settings=settings)
    wanted, _ = found(settings)
    update(docs, settings=settings, rebuild=True)
    (docs / "more.txt").write_text("Cake is baked at 180 degrees.")
    update(docs)
    for broken in (settings, replace(SETTINGS, index=IndexSettings(vectors="http://127.0.0.1:9"))):
        hits, (warning,) = found(broken)
        assert wanted[0] == hits[0]
        assert "compared one by one" in warning
        assert f"The Chroma server {broken.index.vectors}" in warning
        assert any(line.startswith("warning: ") for line in looked(broken))


def test_chroma_can_be_asked_for_few_vectors_too(docs: Path) -> None:
    settings = replace(SETTINGS, index=IndexSettings(vectors="chroma"))
    update(docs, settings=settings)
    assert (found(SETTINGS)[0], ()) == found(settings)
    with pytest.raises(ConfigError, match=r"index\.vectors is 'pinecone'"):
        Settings(index=IndexSettings(vectors="pinecone"))
