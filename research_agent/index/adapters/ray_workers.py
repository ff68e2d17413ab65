"""Workers on a Ray cluster, or on a small one of this machine that lives as long as they do."""

import importlib
import os
import secrets
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from tempfile import TemporaryDirectory
from typing import Any

from research_agent.closeable import Closing
from research_agent.errors import ConfigError, IndexUnavailableError, ResearchAgentError
from research_agent.index.ports import Made, Task
from research_agent.types.documents import FileReport

AHEAD = 2  # documents that a worker has at a time: one is read, the next one waits with it
RETRIES = 5
"""How often a document is given out again whose worker has ended; then it cannot be read."""
START_SECONDS = 300.0  # time until the first worker has a core of the cluster
STORE_BYTES = 256_000_000  # for what waits to be committed; more goes to the disk
GAVE_UP = f"{RETRIES + 1} workers ended while they had it"
_OWN = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}  # all on loopback
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "0"}

Maker = Callable[[Task], Made]


class RayWorkers(Closing):
    """Processes that make rows of documents; implements Workers once `begin` was called."""

    def __init__(self, make: str, address: str = "", *, count: int = 0) -> None:
        """Connect to the cluster at `address`, or start one of `count` workers on this machine.

        Documents are made with what `make` ("module:function") returns for what `begin` is given.
        0 workers are as many as a cluster has cores. Raises ConfigError, IndexUnavailableError.
        """
        with ExitStack() as opened:
            self._ray, self._address = _imported(own=not address), address
            ray = self._ray
            place = {"address": address} if address else _own_cluster(count, opened)
            opened.callback(ray.shutdown)
            try:
                with warnings.catch_warnings():
                    # (LanceDB warns of forks; Ray's children are other programs at once.)
                    warnings.simplefilter("ignore", RuntimeWarning)
                    ray.init(**place, log_to_driver=False, configure_logging=False)
                _check_versions(ray, address or "of this machine")
            except ConfigError:
                raise
            except (ConnectionError, TimeoutError, RuntimeError, ray.exceptions.RayError) as error:
                raise _unusable(address, str(error)) from error
            self._make, self._source = make, object()
            self._count = count or int(ray.cluster_resources().get("CPU", 1))
            self._files = opened.pop_all()

    def begin(self, source: object) -> None:
        """Say what documents are made with from now on."""
        self._source = source

    def made(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Made]]:
        """Yield what comes of each task once, in any order; raises what a worker raises.

        A worker that ends is started anew with its documents. Where it ends too often, each of
        them gets a worker to itself in the end, so that one costs no other.
        """
        coming, doubtful = iter(tasks), list[Task]()
        first = list(islice(coming, 1))
        if not first:
            return
        kind = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(_Worker)
        actors = [kind.remote(self._make, self._source) for _ in range(self._count)]
        for task, reply in self._replies(chain(first, coming), actors, AHEAD):
            if reply:
                yield task, reply
            else:
                doubtful.append(task)
        for task, reply in self._replies(iter(doubtful), actors, 1) if doubtful else ():
            yield task, reply or Made(report=FileReport(task.file.path, "failed", GAVE_UP))

    def _replies(
        self, coming: Iterator[Task], actors: Iterable[Any], ahead: int
    ) -> Iterator[tuple[Task, Made | None]]:
        ray, since = self._ray, time.monotonic()
        asked: dict[Any, tuple[Any, Task | None]] = {a.ready.remote(): (a, None) for a in actors}
        free = deque[Any]()
        while True:
            while free and (next_ := next(coming, None)):
                actor = free.popleft()
                asked[actor.made.remote(next_)] = (actor, next_)
            running = any(task for _, task in asked.values())
            if free and not running:
                return
            if not running and time.monotonic() - since > START_SECONDS:
                raise _unusable(self._address, f"no worker began in {START_SECONDS:g} s")
            for reference in ray.wait(list(asked), timeout=1.0)[0]:
                actor, task = asked.pop(reference)
                reply = self._reply(reference, task)
                free.extend([actor] * (1 if task else ahead))
                if task:
                    yield task, reply
                    since = time.monotonic()

    def close(self) -> None:
        """End the workers, and the cluster that was started for them."""
        self._files.close()

    def _reply(self, reference: object, task: Task | None) -> Any:  # noqa: ANN401 (Made, or None)
        errors = self._ray.exceptions
        try:
            reply = self._ray.get(reference)
        except errors.RayTaskError:
            raise  # (a fault of ours)
        except (errors.RayError, ConnectionError) as error:
            if task and isinstance(error, errors.RayActorError | errors.OutOfMemoryError):
                return None
            raise _unusable(self._address, str(error)) from error
        if isinstance(reply, ResearchAgentError):
            raise reply
        return reply


class _Worker:
    """What runs in a worker's process. It returns errors: Ray would raise them as others."""

    def __init__(self, make: str, source: object) -> None:
        self._target, self._source = make, source
        self._maker: Maker | None = None

    def ready(self) -> None:
        """Return as soon as there is a core for it."""

    def made(self, task: Task) -> object:
        try:
            if self._maker is None:
                module, _, name = self._target.partition(":")
                self._maker = getattr(importlib.import_module(module), name)(self._source)
            return self._maker(task)
        except ResearchAgentError as error:
            return error


def _imported(*, own: bool) -> Any:  # noqa: ANN401 (the library has no types of its own)
    os.environ.update(_QUIET | (_OWN if own else {}))
    if own:  # (Ray reads it once a process)
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            f"Workers need a package that is not installed: {error.name}.",
            hint='Install it: pip install "research-agent[cluster]"',
        ) from error
    return ray


def _own_cluster(cores: int, opened: ExitStack) -> dict[str, Any]:
    folder = opened.enter_context(TemporaryDirectory(prefix="research-agent-"))
    own = {"object_store_memory": STORE_BYTES, "include_dashboard": False, "_temp_dir": folder}
    return {"num_cpus": cores, **own}


def _check_versions(ray: Any, name: str) -> None:  # noqa: ANN401 (as above)
    def about() -> str:  # (sent as it is: our package may be missing there)
        import sys
        from importlib.metadata import distributions

        found = (of.version for of in distributions(name="research-agent"))
        python = ".".join(map(str, sys.version_info[:2]))
        return f"Python {python} and research-agent {next(found, 'none')}"

    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as At

    nodes = [node for node in ray.nodes() if node["Alive"]]
    asked = ray.remote(num_cpus=0)(about)
    places = [At(node["NodeID"], soft=False) for node in nodes]
    found = [asked.options(scheduling_strategy=place).remote() for place in places]
    ours = about()
    for node, theirs in zip(nodes, ray.get(found, timeout=START_SECONDS), strict=True):
        if theirs != ours:
            where = f"{node['NodeManagerAddress']} of the Ray cluster {name}"
            raise ConfigError(
                f"{where} has {theirs}, and this machine has {ours}.",
                hint="Install the same versions on all of its machines.",
            )


def _unusable(address: str, text: str) -> ResearchAgentError:
    kind = ConfigError if "ersion mismatch" in text else IndexUnavailableError
    return kind(
        f"The Ray cluster {address or 'of this machine'} cannot be used: {' '.join(text.split())}",
        hint="Is it running with free cores, RAY_AUTH_TOKEN, and our versions of Python and Ray?",
    )
