"""A Ray cluster of two workers on loopback, and a run of indexing on it with made-up vectors.

`python -m tests.ray_cluster CORES` is the cluster: it prints its address, and ends with its input.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from research_agent.assembly.workers import Given, OneDocument
from research_agent.documents.adapters.files import LocalFiles
from research_agent.documents.chunking import linked_chunks
from research_agent.index.adapters.ray_workers import RayWorkers
from research_agent.index.ports import IndexingPorts, Made, Task
from research_agent.index.run import Reading
from research_agent.settings import DocumentSettings, Settings
from research_agent.types.documents import IndexReport
from research_agent.types.records import IndexProgress
from tests.indexing import CuttingEmbedder, PlainReader, indexer

MAKE = f"{__name__}:slow_maker"
SECONDS = 0.2
"""What a document takes at least, so that there is something to kill."""
OWN = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""All on loopback, and nobody is told of it."""


@contextmanager
def cluster(cores: int = 2) -> Iterator[Mapping[str, str]]:
    """Yield the environment of those who use a new cluster: its ADDRESS, its process CLUSTER."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    environment = {**os.environ, **OWN, **token, "OMP_NUM_THREADS": "1"}
    environment.pop("LD_PRELOAD", None)
    command = [sys.executable, "-m", "tests.ray_cluster", str(cores)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            assert address, "the cluster did not start"
            yield {**OWN, **token, "ADDRESS": address, "CLUSTER": str(process.pid)}
        finally:
            process.stdin.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def slow_maker(given: Given) -> Callable[[Task], Made]:
    """Make documents of text files with made-up vectors, slowly."""
    kept, embedder, reader = OneDocument(given), CuttingEmbedder(), PlainReader()
    ports = IndexingPorts(
        files=LocalFiles(DocumentSettings(), {".txt"}),
        reader=reader,
        chunker=linked_chunks,
        embedder=embedder,
        windows=embedder,
        writer=kept,
    )
    reading = Reading(ports, given.settings.documents.chunk_chars, lambda *_: None)

    def made(task: Task) -> Made:
        if "poison" in task.file.path:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(SECONDS)
        kept.rows = None
        before = reading.embedded
        report = reading.put(task)
        return Made(report=report, rows=kept.rows, embedded=reading.embedded - before)

    return made


def index(
    docs: Path,
    location: str,
    address: str = "",
    *,
    on_kept: Callable[[Sequence[str]], None] = lambda _: None,
    on_progress: Callable[[IndexProgress], None] = lambda _: None,
) -> IndexReport:
    """Index a folder on a cluster, or in this process; `on_kept` hears the keys that are kept."""
    from research_agent.index.adapters.shared import writing
    from research_agent.index.adapters.shared.tables import Rows

    class Telling(writing.SharedWriter):
        def append(self, batch: Sequence[Rows]) -> None:
            super().append(batch)
            on_kept([str(rows.document["key"]) for rows in batch])

    settings = Settings(documents=DocumentSettings(chunk_chars=200))
    found = indexer(settings=settings, embedder=CuttingEmbedder(), on_progress=on_progress)
    before = writing.BATCH, writing.SharedWriter
    writing.BATCH, writing.SharedWriter = 3, Telling  # type: ignore[misc]  # (the class is replaced)
    try:
        if not address:
            return found.update(location, [str(docs)])
        with RayWorkers(MAKE, address) as workers:
            return replace(found, workers=workers).update(location, [str(docs)])
    finally:
        writing.BATCH, writing.SharedWriter = before  # type: ignore[misc]


def worker_processes(of: int) -> list[int]:
    """Return the workers of the cluster whose process is `of`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # (it has ended meanwhile)
            if path.read_bytes().startswith(b"ray::_Worker"):
                found.append(int(path.parent.name))
    return [pid for pid in found if of in _ancestors(pid)]


def _ancestors(pid: int) -> Iterator[int]:
    with suppress(OSError):
        while pid := int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]):
            yield pid


def kill(pid: int) -> None:
    """End a process at once, if it has not ended itself."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _serve(cores: int) -> None:
    import ray

    with TemporaryDirectory(prefix="ray-") as folder:
        ray.init(
            num_cpus=cores,
            include_dashboard=False,
            object_store_memory=100_000_000,
            log_to_driver=False,
            configure_logging=False,
            _temp_dir=folder,
        )
        print(ray.get_runtime_context().gcs_address, flush=True)  # noqa: T201 (it is read)
        sys.stdin.read()
        ray.shutdown()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
