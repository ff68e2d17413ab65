"""The clients to a model server: proxies of the environment, and threads that share a model."""

import asyncio
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from research_agent.errors import ModelError
from research_agent.models.adapters.openai import Endpoint, OpenAIChat, OpenAIEmbedder
from research_agent.models.adapters.openai.connection import Connection, HttpClients
from research_agent.types import Message
from tests.loopback import Json, Raw, embedding_reply, error_reply, server, text_reply

PROXIES = ["http://127.0.0.1:9", "socks://127.0.0.1:1080/", "socks5://127.0.0.1:1080", "nonsense"]
FAR = "https://models.example.org/v1"


def endpoint(url: str, *, timeout: float = 20) -> Endpoint:
    return Endpoint(model="m", url=lambda: url, where=url, api_key="none", timeout=timeout)


def say(model: OpenAIChat, text: str = "hello") -> str:
    return model.complete("r", [Message("user", text)], max_tokens=7).text


def asked_by_threads(model: OpenAIChat, threads: int) -> list[str]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda number: say(model, f"n{number}"), range(threads)))


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the addresses that are connected to; each attempt fails."""
    tried: list[object] = []

    def refuse(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *named, **_: tried.append(named))
    return tried


@pytest.mark.parametrize("proxy", PROXIES)
def test_proxies_are_passed_by_on_this_machine(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes to this machine's own server takes no proxy, whatever the environment says."""
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, proxy)
    with server(lambda _: text_reply("a")) as url:
        model = OpenAIChat(endpoint(url))
        assert "a" == say(model)
        model.close()
    with server(lambda _: embedding_reply([[2, 0]])) as url:
        embedder = OpenAIEmbedder(endpoint(url))
        assert [[1.0, 0.0]] == embedder.embed(["a"])
        embedder.close()


@pytest.mark.parametrize(
    "ask",
    [lambda: say(OpenAIChat(endpoint(FAR))), lambda: OpenAIEmbedder(endpoint(FAR)).embed(["a"])],
)
@pytest.mark.parametrize("scheme", ["socks", "socks5", "ftp"])
def test_a_proxy_that_cannot_be_used_is_told(
    ask: Callable[[], object],
    scheme: str,
    connected: list[object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To another machine it is an error that names the variables; nothing is sent."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://me:SECRET@127.0.0.1:1080/")
    with pytest.raises(ModelError, match=FAR) as caught:
        ask()
    assert "ALL_PROXY" in caught.value.hint
    assert "SECRET" not in f"{caught.value} {caught.value.hint}"
    assert [] == connected


def test_clients_are_used_again() -> None:
    """Calls share a client, until it is closed: also where an event loop is running."""
    made: list[HttpClients] = []

    def build(_: str, clients: HttpClients) -> int:
        made.append(clients)
        return len(made)

    async def echo(client: int) -> int:
        return client

    async def fail(_client: int) -> int:
        raise ModelError("no")

    async def close_in_a_loop() -> None:
        connection.close()

    connection = Connection(endpoint(FAR), build)
    assert [1, 1] == [connection.run(echo) for _ in range(2)]
    with pytest.raises(ModelError, match="no"):
        connection.run(fail)
    assert 1 == connection.run(echo)
    asyncio.run(close_in_a_loop())
    assert 2 == connection.run(echo)
    connection.close()
    assert [True, True] == [clients.awaiting.is_closed for clients in made]


def test_threads_share_a_model() -> None:
    """Several threads may ask at the same time; each gets its own reply."""
    with server(lambda given: text_reply(given["messages"][0]["content"])) as url:
        model = OpenAIChat(endpoint(url))
        assert [f"n{n}" for n in range(4)] == asked_by_threads(model, 4)
        model.close()


def test_two_threads_meet_the_same_refusal() -> None:
    """A refusal that comes after another thread has learnt of it is no failure."""
    both, learnt, numbered = Barrier(2), Event(), iter(range(2))

    def script(given: Json) -> Json | Raw:
        if "logprobs" not in given:
            learnt.set()
            return text_reply("a")
        both.wait(10)
        if next(numbered) == 1:
            learnt.wait(10)
        return error_reply(400, "logprobs is not supported")

    with server(script) as url:
        model = OpenAIChat(endpoint(url))
        assert ["a", "a"] == asked_by_threads(model, 2)
        model.close()
