"""The MCP server as a program: over stdin and stdout, and over a loopback port."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from research_agent import ResearchAgent
from research_agent.errors import ConfigError
from research_agent.interfaces.mcp.server import build_server
from research_agent.interfaces.mcp.serving import token_of
from tests.interfaces.commands import GUIDE, Model, run, served
from tests.loopback import Json, Live, Peer, Raw, server

pytestmark = pytest.mark.usefixtures("data_home")
BAKED = "At how many degrees is bread baked?"
TOKEN = "a token for tests alone"  # noqa: S105 (it opens nothing)
MCP = (sys.executable, "-m", "research_agent.interfaces.cli.main", "mcp", "--config")


class Waiting(Model):
    """A model that does not answer, and notices when nobody waits for it any more."""

    def __init__(self, *, waits: bool = True) -> None:
        super().__init__()
        self.waits = waits
        self.reached, self.left = Event(), Event()

    def reply(self, request: Json) -> Json | Raw | Live:  # type: ignore[override]  # (it may wait)
        if not self.waits:
            return super().reply(request)

        def wait(peer: Peer) -> None:
            self.reached.set()
            if peer.gone(20):
                self.left.set()

        return Live(wait)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs")).exit_code
    return tmp_path


async def until(happened: Event) -> bool:
    """Wait for what another thread sees."""
    return await anyio.to_thread.run_sync(happened.wait, 15)


def test_stdio_with_the_real_client(docs: Path) -> None:
    """A whole question over stdin and stdout; nothing else is on stdout."""

    async def talk(config: str) -> tuple[str, list[str]]:
        told: list[str] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            assert (progress, total) == (len(told) + 1, None)
            told.append(str(message))

        program = StdioServerParameters(
            command=MCP[0], args=[*MCP[1:], config], env=dict(os.environ)
        )
        async with Client(stdio_client(program)) as client:
            reply = await client.call_tool(
                "research", {"question": BAKED}, progress_callback=on_progress
            )
            return reply.structured_content["answer"], told

    with served(Model(), docs) as config:
        answer, told = asyncio.run(talk(config))

    assert "Bread is baked at 230 degrees [c1]." == answer
    assert "supported: Bread is baked at 230 degrees. [c1]" in told


def test_client_that_cancels_ends_the_model_call(docs: Path) -> None:
    """The request to the model server is dropped at once, and the next question is answered."""
    model = Waiting()

    async def talk(agent: ResearchAgent) -> bool:
        async with Client(build_server(agent), mode="legacy") as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "research", {"question": BAKED})
                assert await until(model.reached)
                group.cancel_scope.cancel()
            left = await until(model.left)
            documents = await client.call_tool("list_documents", {})
            return left and not documents.is_error

    with served(model, docs) as config, ResearchAgent.open(config=config) as agent:
        begun = time.monotonic()
        assert asyncio.run(talk(agent))

    assert time.monotonic() - begun < 15


def test_client_that_goes_ends_the_server(docs: Path) -> None:
    """Without its client the program stops what it does, and ends; the model is left alone."""
    model = Waiting()
    asked = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"research",'
        f'"arguments":{{"question":"{BAKED}"}}}}}}\n'
    )
    with served(model, docs) as config:
        process = subprocess.Popen(
            [*MCP, config], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdin is not None
        process.stdin.write(asked.encode())
        process.stdin.flush()
        reached = model.reached.wait(20)
        _, stderr = process.communicate(timeout=20)  # (which closes stdin)

    assert reached
    assert model.left.is_set()
    assert (0, b"") == (process.returncode, stderr)


@contextmanager
def over_http(config: str) -> Iterator[tuple[str, str]]:
    """Serve on a free port; give the address and the token that were told."""
    process = subprocess.Popen(
        [*MCP, config, "--http", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        told = process.stderr.readline() + process.stderr.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+/mcp)\n.* Bearer (\S{43})\n", told)
        assert found, told + process.stderr.read()
        yield found[1], found[2]
    finally:
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=20)
    assert (130, "") == (process.returncode, stdout)


def test_http_with_the_real_client(docs: Path) -> None:
    """Who knows the token asks, and leaves nothing running when going; others get nothing."""
    model = Waiting(waits=False)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    async def talk(url: str, token: str) -> tuple[str, bool]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            reply = await client.call_tool("research", {"question": BAKED})
            model.waits = True
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "research", {"question": f"{BAKED} Really?"})
                assert await until(model.reached)
                group.cancel_scope.cancel()
            return str(reply.structured_content["answer"]), await until(model.left)

    with served(model, docs) as config, over_http(config) as (url, token):
        answer, left = asyncio.run(talk(url, token))
        json = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        right = json | {"Authorization": f"Bearer {token}"}
        statuses = [
            httpx2.post(url, json=ping, headers=headers).status_code
            for headers in (
                json,
                json | {"Authorization": "Bearer wrong"},
                right | {"Origin": "https://evil.example"},
                right | {"Host": "evil.example"},
            )
        ]

    assert ("Bread is baked at 230 degrees [c1].", True) == (answer, left)
    assert [401, 401, 403, 421] == statuses


def test_the_token_is_the_users_or_new() -> None:
    """One that is set is taken, and a new one is never the same."""
    assert TOKEN == token_of({"RESEARCH_AGENT_MCP_TOKEN": TOKEN})
    assert token_of({}) != token_of({})


def test_a_short_token_is_refused() -> None:
    """A token that can be guessed keeps nobody out."""
    with pytest.raises(ConfigError, match="16 or more"):
        token_of({"RESEARCH_AGENT_MCP_TOKEN": "short"})


def test_a_port_in_use_is_told(docs: Path) -> None:
    """The program names the port, and does not take another one."""
    with server(lambda request: request) as url:
        port = url.split(":")[2].removesuffix("/v1")
        with served(Model(), docs) as config:
            done = run("mcp", "--config", config, "--http", port)

    assert 2 == done.exit_code
    assert f"port {port} cannot be used: Address already in use" in done.stderr


def test_without_an_index_nothing_is_served() -> None:
    """The program says what to do, on stderr alone."""
    done = run("mcp")

    assert (1, "") == (done.exit_code, done.stdout)
    assert "research-agent index" in done.stderr
