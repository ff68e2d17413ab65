"""Every test runs without a network but loopback, and away from the user's own folders."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import pytest_socket

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["ANONYMIZED_TELEMETRY"] = "False"
os.environ.pop("LANGSMITH_TRACING", None)
# A reply of one test is never another test's; those of the cache itself switch it on.
os.environ["RESEARCH_AGENT_MODELS__REPLY_CACHE__MODE"] = "off"
# Each of the programs that tests start would compile everything for itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A shell's background jobs ignore Ctrl-C, and so would every program that a test starts there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Libraries hold millions of objects: looking through them for garbage took a fifth of all time.
gc.set_threshold(20_000, 50, 100)
NUMBERS = count()


def pytest_collection_finish() -> None:
    """Leave what is imported by now out of the search for garbage."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse every address but this machine's own; afterwards no command is offline any more."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
    yield
    if process := sys.modules.get("research_agent.interfaces.cli.process"):
        process.lift()


@pytest.fixture(autouse=True)
def _own_cache(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Use neither the user's own cache, where live tests take their weights, nor settings.

    The folder is made where something is written: a `tmp_path` for each test takes seconds.
    """
    own = tmp_path_factory.getbasetemp() / f"own-{next(NUMBERS)}"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own / "config"))
    if request.node.get_closest_marker("live") is None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(own / "cache"))


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a data directory of its own; indexes are made there."""
    home = tmp_path / "data-home"
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(home))
    return home
