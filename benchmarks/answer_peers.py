"""The same questions through peers that answer, with the same weights and embeddings.

The embedded model's server is the product's own. Each answer is recorded at once, in
`benchmarks/recordings/answers-PEER.jsonl`, and scored from there.
"""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path

from benchmarks.peers.answering import KEY, AnswerTask, write_task
from benchmarks.peers.running import ANSWERERS, Peer, environment, run_command
from benchmarks.places import PDFS, RECORDINGS
from benchmarks.questions import Row, read
from research_agent.assembly.models.endpoints import embedded_digest, embedded_weights
from research_agent.model_settings import LocalModelSettings
from research_agent.models.adapters.llama import LlamaServer

EACH = 5
"""Questions of a kind, answerable or not, for a peer that makes many calls."""
SECONDS = 900.0
"""For one question of a peer; eleven calls with chunks of 5000 characters take six minutes."""
SLOW = frozenset({"paper-qa"})
"""Peers that are asked few questions unless all are wanted."""
WAYS = ("default", "best")
"""As published, and as well as we could."""
LOOPBACK = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What of a peer is to be asked."""

    peer: str
    """Its name."""
    arm: str = "default"
    weights: str = "1.5b"
    every: bool = False
    """Also of a slow peer all questions."""
    limit: int = 0
    """Only the first questions; 0: no limit."""
    minutes: float = 45.0
    """No question is begun after that."""


def peer_named(name: str) -> Peer:
    """Return the peer of this name.

    >>> peer_named("LangChain").module
    'benchmarks.peers.answer_with_langchain'
    """
    return next(peer for peer in ANSWERERS if peer.name == name)


def recordings_of(peer: str) -> Path:
    """Return the file with a peer's answers."""
    return RECORDINGS / f"answers-{peer.lower().replace('-', '')}.jsonl"


def recorded(peer: str) -> list[Row]:
    """Return a peer's answers, the last one where a question was asked twice."""
    path = recordings_of(peer)
    rows = read(path) if path.exists() else []
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


def questions_of(asking: Asking, keys: Sequence[Row]) -> list[Row]:
    """Return the questions that a peer is asked."""
    chosen = few(keys) if asking.peer in SLOW and not asking.every else list(keys)
    return chosen[: asking.limit or None]


def ask(asking: Asking, keys: Sequence[Row], *, cache: Path) -> int:
    """Ask what is not recorded yet, and return how many answers were added.

    Raises PeerError where the peer cannot be installed or fails.
    """
    local = LocalModelSettings(weights=asking.weights)  # type: ignore[arg-type]  # (click has checked the word)
    digest = embedded_digest(local, os.environ)
    before = recorded(asking.peer)
    done = {row["qid"] for row in before if (row["arm"], row["digest"]) == (asking.arm, digest)}
    todo = [key for key in questions_of(asking, keys) if key["qid"] not in done]
    if not todo:
        return 0
    peer = peer_named(asking.peer)
    python = environment(peer, cache)
    path = partial(embedded_weights, local, os.environ, lambda _done, _of: None)
    with closing(LlamaServer(path, context=local.context, threads=local.threads)) as server:
        task = AnswerTask(
            arm=asking.arm,
            documents=tuple((file.stem, str(file)) for file in sorted(PDFS.glob("*.pdf"))),
            questions=tuple((key["qid"], key["question"]) for key in todo),
            vectors=str(cache / "peer-vectors.sqlite3"),
            base_url=server.base_url(),
            model=path().stem,
            digest=digest,
            seconds=SECONDS,
            minutes=asking.minutes,
        )
        place = cache / f"answer-task-{asking.peer}.json"
        write_task(task, place)
        RECORDINGS.mkdir(exist_ok=True)
        command = [str(python), "-m", peer.module, str(place), str(recordings_of(asking.peer))]
        run_command(command, f"{peer.name}: failed", {KEY: server.api_key, **LOOPBACK})
    return len(recorded(asking.peer)) - len(before)
