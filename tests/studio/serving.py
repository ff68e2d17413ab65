"""LangGraph's development server, started from whatever is installed, as Studio uses it.

RESEARCH_AGENT_STUDIO names the folder of an environment with the extra `studio`; else the server
has to be in this one.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.needed import missing

OWN = Path(__file__).parents[2] / "langgraph.json"
GRAPHS = {name: f"graphs.studio:{name}" for name in ("research", "chat", "index")}
"""The graphs of the installed package; the repository's own langgraph.json names its files."""
DOOR = {key: json.loads(OWN.read_text(encoding="utf-8"))[key] for key in ("http", "auth")}
TOKEN = "a-token-for-tests-alone"  # noqa: S105 (it is)
STARTING = 90.0


def program() -> str:
    """Return the path of `langgraph`."""
    folder = os.environ.get("RESEARCH_AGENT_STUDIO")
    place = Path(folder, "bin") if folder else Path(sys.executable).parent
    if not (place / "langgraph").exists():
        missing("langgraph is not installed (extra studio)")
    return str(place / "langgraph")


@contextmanager
def running(folder: Path, config: str, *, token: str = TOKEN) -> Iterator[str]:
    """Serve the graphs from an empty folder, with our door; give the server's address."""
    (folder / "langgraph.json").write_text(
        json.dumps({"dependencies": ["."], "graphs": GRAPHS, "env": {}, **DOOR}), encoding="utf-8"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keyless = {key: value for key, value in os.environ.items() if not key.startswith("LANGSMITH")}
    given = {
        "RESEARCH_AGENT_CONFIG": config,
        "RESEARCH_AGENT_STUDIO_TOKEN": token,
        "RESEARCH_AGENT_STUDIO_ROOTS": str(folder.parent),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    }
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [program(), "dev", "--no-browser", "--no-reload", "--port", str(port)],
            cwd=folder,
            env={**keyless, **given},
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process, folder / "server.log")
            yield url
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + STARTING
    while time.monotonic() < until and process.poll() is None:
        try:
            if 200 == httpx.get(f"{url}/ok", timeout=2).status_code:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")
