"""The MCP server as a program: over stdin and stdout, and over a loopback port."""

import asyncio
import json
import re
import signal
import socket
from contextlib import suppress
from threading import Event
from typing import TextIO

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.interfaces.commands import ANSWER, BAKED, Waiting, begun, run, signalled
from tests.loopback import server

pytestmark = pytest.mark.usefixtures("indexed")


@pytest.fixture
def model() -> Waiting:
    return Waiting()


async def until(happened: Event) -> bool:
    """Wait for what another thread sees."""
    return await anyio.to_thread.run_sync(happened.wait, 15)


async def asked_and_cancelled(client: Client, model: Waiting) -> bool:
    """Ask, cancel when the model is reached, and tell whether it is left alone then."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "research", {"question": f"{BAKED} Really?"})
        assert await until(model.reached)
        group.cancel_scope.cancel()
    return await until(model.left)


def test_stdio_until_its_client_goes(config: str, model: Waiting) -> None:
    """A whole question, and nothing but messages on stdout.

    Without its client the program stops what it does, and ends; the model is left alone.
    """
    hello = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "test", "version": "1"}}
    research = {"name": "research", "arguments": {"question": BAKED}}
    process = begun("mcp", "--config", config)
    assert process.stdin is not None
    assert process.stdout is not None

    def send(method: str, number: int | None = None, **values: object) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": values}
        text = json.dumps(message if number is None else {**message, "id": number})
        assert process.stdin is not None
        process.stdin.write(f"{text}\n")
        process.stdin.flush()

    send("initialize", 1, capabilities={}, **hello)
    send("notifications/initialized")
    model.waits = False
    send("tools/call", 2, _meta={"progressToken": "p"}, **research)
    told = [json.loads(process.stdout.readline())]
    while told[-1].get("id") != 2:
        told.append(json.loads(process.stdout.readline()))
    model.waits = True
    send("tools/call", 3, **research)
    reached = model.reached.wait(60)
    _, stderr = process.communicate(timeout=60)  # (which closes stdin)

    steps = [one["params"] for one in told if one.get("method") == "notifications/progress"]
    assert ANSWER == told[-1]["result"]["structuredContent"]["answer"]
    assert [*range(1, len(steps) + 1)] == [step["progress"] for step in steps]
    assert "supported: Bread is baked at 230 degrees." in [step["message"] for step in steps]
    assert reached
    assert model.left.is_set()
    assert (0, "") == (process.returncode, stderr)


def test_http_with_the_real_client(config: str, model: Waiting) -> None:
    """Who knows the token asks, and leaves nothing running when going; others get nothing."""
    model.waits = False
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    async def talk(url: str, token: str) -> tuple[str, bool]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            reply = await client.call_tool("research", {"question": BAKED})
            model.waits = True
            return str(reply.structured_content["answer"]), await asked_and_cancelled(client, model)

    def use(told: TextIO) -> tuple[str, bool, list[int]]:
        shown = told.readline() + told.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+/mcp)\n.* Bearer (\S{43})\n", shown)
        assert found, shown
        url, token = found[1], found[2]
        answer, left = asyncio.run(talk(url, token))
        kinds = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        right = kinds | {"Authorization": f"Bearer {token}"}
        statuses = [
            httpx2.post(url, json=ping, headers=headers).status_code
            for headers in (
                kinds,
                kinds | {"Authorization": "Bearer wrong"},
                right | {"Origin": "https://evil.example"},
                right | {"Host": "evil.example"},
            )
        ]
        statuses.append(httpx2.post(url, content=b" " * 1_100_000, headers=right).status_code)
        place = (httpx2.URL(url).host, httpx2.URL(url).port)
        many = [socket.create_connection(place, timeout=5) for _ in range(70)]
        with suppress(ConnectionResetError):
            assert b"" == many[-1].recv(1)  # (one too many is closed at once)
        for one in many:
            one.close()
        return answer, left, statuses

    given = ("mcp", "--config", config, "--http", "0")
    code, (answer, left, statuses) = signalled(signal.SIGINT, use, *given)

    assert 130 == code
    assert (ANSWER, True) == (answer, left)
    assert [401, 401, 403, 421, 413] == statuses


def test_what_cannot_be_served_is_told(config: str) -> None:
    """A port in use is named, and no other one is taken; without an index there is a hint."""
    with server(lambda request: request) as url:
        port = url.split(":")[2].removesuffix("/v1")
        done = run("mcp", "--config", config, "--http", port)
    assert 0 == run("index", "--remove", "default").exit_code
    missing = run("mcp")

    assert 2 == done.exit_code
    assert f"port {port} cannot be used: Address already in use" in done.stderr
    assert (1, "") == (missing.exit_code, missing.stdout)
    assert "research-agent index" in missing.stderr
