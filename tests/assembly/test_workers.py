"""Indexing on a really started Ray cluster of two workers, and what is refused."""

import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from research_agent.assembly.index import list_documents
from research_agent.assembly.shared import storage_of
from research_agent.assembly.workers import workers
from research_agent.errors import ConfigError, PathError, ResearchAgentError
from research_agent.index.adapters import ray_workers
from research_agent.index.adapters.ray_workers import RayWorkers
from research_agent.model_settings import ModelSettings
from research_agent.settings import Settings
from research_agent.types.documents import IndexReport
from research_agent.types.records import IndexProgress
from tests.interfaces.commands import in_a_process, run
from tests.needed import needed_package
from tests.object_storage import BUCKET, bucket, use
from tests.ray_cluster import MAKE, cluster, index
from tests.torture.__main__ import failures
from tests.torture.workers import held

DISTANT = "ray://cluster.example:10001"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return filled(tmp_path / "docs")


def filled(folder: Path) -> Path:
    """Write eight documents into a folder, and take away all else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.txt").write_text(f"Page {number}.\n\nBread {number}.", "utf-8")
    return folder


Run = Callable[[Callable[[], object]], object]
"""Returns what a function returns in a process of its own; an error of ours as its text."""


@pytest.fixture(scope="module")
def environment() -> Iterator[Mapping[str, str]]:
    """What users of the cluster have in their environment."""
    needed_package("ray", "cluster")
    needed_package("lancedb", "cluster")
    with cluster() as found:
        yield found


@pytest.fixture(scope="module")
def in_a_child(environment: Mapping[str, str]) -> Iterator[Run]:
    """One process for all that uses the cluster: Ray reads the environment once a process.

    It is no fork: the threads of LanceDB and ONNX do not outlive one.
    """
    from ray import cloudpickle

    def run(work: Callable[[], object]) -> object:
        sent = cloudpickle.dumps(work)  # type: ignore[no-untyped-call]  # (no types)
        return pool.submit(done, sent, dict(environment)).result(600)

    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield run


def done(work: bytes, environment: Mapping[str, str]) -> object:
    os.environ.update(environment)
    try:
        return pickle.loads(work)()  # noqa: S301 (our own)
    except ResearchAgentError as error:
        return f"{type(error).__name__}: {error}"


def test_workers_make_the_index_that_one_process_makes(
    docs: Path, tmp_path: Path, in_a_child: Run
) -> None:
    """Also a second time, after changes; equal texts are known, and all workers are counted."""
    alone, many = f"lance:{tmp_path / 'alone'}", f"lance:{tmp_path / 'many'}"

    def run(location: str, address: str) -> object:
        seen = list[IndexProgress]()
        reports = [index(filled(docs), location, address, on_progress=seen.append)]
        (docs / "0.txt").write_text("Page 0.\n\nCake.", "utf-8")
        (docs / "1.txt").rename(docs / "renamed.txt")
        (docs / "2.txt").unlink()
        (docs / "broken.txt").write_bytes(b"")
        reports.append(index(docs, location, address, on_progress=seen.append))
        told = [(file.path, file.status, file.chunks) for one in reports for file in one.files]
        numbers = sorted({progress.number for progress in seen})
        return told, [one.embedded for one in reports], held(location), numbers

    def both() -> object:
        return run(many, os.environ["ADDRESS"]), run(alone, "")

    found = in_a_child(both)
    assert isinstance(found, tuple)
    first, second = found
    assert second == first
    assert [*range(1, 9)] == first[3]


def test_a_document_that_ends_its_workers_is_told_and_costs_no_other(
    docs: Path, tmp_path: Path, in_a_child: Run
) -> None:
    (docs / "0-poison.txt").write_text("poison", "utf-8")
    location = f"lance:{tmp_path / 'shared'}"

    def work() -> object:
        ray_workers.RETRIES = 1
        return index(docs, location, os.environ["ADDRESS"])

    report = in_a_child(work)
    assert isinstance(report, IndexReport)
    (failed,) = [file for file in report.files if file.status == "failed"]
    assert (docs / "0-poison.txt", ray_workers.GAVE_UP) == (Path(failed.path), failed.reason)
    assert 8 == report.documents


@pytest.mark.torture
@pytest.mark.quick
def test_workers_and_drivers_are_killed(
    environment: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick part of the torture of workers; it has the same cluster."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert [] == failures(["workers"], tmp_path, quick=True)


def test_another_python_or_version_of_ours_is_refused_with_both_named(
    tmp_path: Path, in_a_child: Run
) -> None:
    about = tmp_path / "research_agent-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: research-agent\nVersion: 9.9\n")

    def ours() -> object:
        with patch.object(sys, "path", [str(tmp_path), *sys.path]):
            return RayWorkers(MAKE, os.environ["ADDRESS"])

    def python() -> object:
        import ray  # noqa: F401 (it looks at the real version)

        with patch.object(sys, "version_info", (3, 99, 0, "final", 0)):
            return RayWorkers(MAKE, os.environ["ADDRESS"])

    for work, names in ((ours, ("0.1.0", "9.9")), (python, ("3.99.0", f"{sys.version_info[0]}."))):
        said = str(in_a_child(work))
        assert said.startswith("ConfigError: ")
        assert all(name in said for name in names), said


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket with a document and a picture below "docs"."""
    needed_package("lancedb", "cluster")
    import obstore

    with bucket() as url:
        use(url, monkeypatch)
        found = storage_of(f"s3://{BUCKET}/docs")._store  # noqa: SLF001 (to fill the bucket)
        obstore.put(found, "bread.md", b"# Bread\n\nBread is baked at 230 degrees.")
        obstore.put(found, "picture.png", b"no document")
        yield found


def test_the_command_reads_a_bucket_and_a_list_with_workers_of_its_own(
    store: object, tmp_path: Path, data_home: Path
) -> None:
    needed_package("ray", "cluster")
    assert store
    listed, cake, index = tmp_path / "list", tmp_path / "cake.md", f"s3://{BUCKET}/index"
    cake.write_text("# Cake\n\nCake is baked at 180 degrees.", "utf-8")
    listed.write_text(f"s3://{BUCKET}/docs/\n{cake}\n", "utf-8-sig")  # (as Windows writes it)
    arguments = ("index", "--index", index, "--offline", "--workers", "1", f"@{listed}")
    done = in_a_process(*arguments, folder=tmp_path)
    said = f"{done.stdout}{done.stderr}"
    assert "2 indexed, 1 skipped; the index holds 2 documents, 2 chunks" in said
    assert 0 == done.returncode
    assert "warn" not in said.lower()
    assert {f"s3://{BUCKET}/docs/bread.md", str(cake)} == {
        kept.record.path for kept in list_documents(index)
    }
    assert data_home.exists()


def test_objects_of_a_bucket_are_read_when_they_are_new_and_forgotten_when_they_are_gone(
    store: Any,  # noqa: ANN401 (obstore's classes have no common public base)
    data_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import obstore

    everything = f"s3://{BUCKET}/docs"

    def said(*paths: str) -> str:
        done = run("index", *(paths or (everything,)))
        return f"{done.stdout}{done.stderr}"

    assert "1 indexed, 1 skipped" in said()
    assert "1 unchanged" in said(f"{everything}/bread.md")
    obstore.rename(store, "bread.md", "rye.md")
    assert "moved from" in said()
    obstore.put(store, "rye.md", b"# Rye\n\nRye is sour.")
    obstore.put(store, "cake.md", b"# Cake")
    assert "2 indexed, 1 skipped" in said()
    obstore.delete(store, "rye.md")
    assert "1 unchanged, 1 removed" in said()
    assert "there is no such object" in said(f"{everything}/none.md")
    assert "files and folders" in said("--dry-run", everything)
    use("http://127.0.0.1:9", monkeypatch)
    monkeypatch.setattr("research_agent.index.adapters.shared.storage.RETRIES", 0)
    assert "its storage does not answer" in said()
    assert 1 == len([kept for kept in list_documents("default") if kept.record.chunks])
    assert data_home.exists()


@pytest.mark.parametrize(
    ("location", "path", "address", "error", "told"),
    [
        ("papers", "docs", DISTANT, PathError, "kept in a folder, which one process writes"),
        ("lance:/x", "https://a.example/", DISTANT, PathError, "workers read files and buckets"),
        ("lance:/x", "docs", DISTANT, ConfigError, "models.offline is set"),
    ],
)
def test_what_workers_cannot_help_with_is_refused_at_once(
    location: str, path: str, address: str, error: type[ResearchAgentError], told: str
) -> None:
    settings = Settings(models=ModelSettings(offline=True))
    asked = workers(address, 0, location=location, paths=[path], settings=settings)
    with pytest.raises(error, match=told), asked:
        pass
