"""Deadlines, closing, proxies, certificates and threads, with a real server on this machine."""

import gc
import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest

from research_agent.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from research_agent.models.adapters.openai import OpenAIChat, OpenAIEmbedder
from research_agent.types import Message
from tests import loopback
from tests.loopback_faults import HEAD
from tests.models.openai_models import chat, endpoint

FAR = "https://models.example.org/v1"


def ask(model: OpenAIChat, text: str = "hello", *, seconds: float = 20) -> str:
    return model.complete("r", [Message("user", text)], max_tokens=9, seconds=seconds).text


def is_late(model: OpenAIChat, seconds: float = 0.3) -> None:
    """Ask a server that does not reply, and see the call end at its deadline."""
    begun = time.monotonic()
    with pytest.raises(ModelTimeoutError, match="in time") as caught:
        ask(model, seconds=seconds)
    assert time.monotonic() - begun < seconds + 10
    assert "models.timeout" in caught.value.hint


class OneSlot:
    """A server that works on one request at a time and writes nothing until it is let."""

    def __init__(self) -> None:
        self.slot, self.begun, self.quick = threading.Lock(), threading.Event(), False

    def reply(self, _given: loopback.Json) -> loopback.Json | loopback.Live:
        return loopback.text_reply("Paris") if self.quick else loopback.Live(self.work)

    def work(self, peer: loopback.Peer) -> None:
        with self.slot:
            self.begun.set()
            peer.send(HEAD)
            peer.gone(20)

    def is_free(self) -> bool:
        self.quick = True
        return self.slot.acquire(timeout=10)


def test_a_request_that_is_late_is_dropped() -> None:
    """The server sees its client leave, and has its one place free again."""
    slot = OneSlot()
    with chat(slot.reply) as model:
        ask_once = replace(endpoint("http://127.0.0.1:9/v1"), timeout=0.0)
        is_late(model)
        assert slot.is_free()
        assert "Paris" == ask(model)
    with pytest.raises(ModelTimeoutError):  # (without time nothing is sent)
        ask(OpenAIChat(ask_once))


def test_closing_ends_what_is_asked() -> None:
    """The call ends at once, with an error that is no reason to ask again."""
    slot = OneSlot()
    with ThreadPoolExecutor(1) as pool, chat(slot.reply) as model:
        asking = pool.submit(ask, model)
        assert slot.begun.wait(20)
        model.close()
        with pytest.raises(ModelError, match="closed") as caught:
            asking.result(10)
        assert slot.is_free()
        assert "Paris" == ask(model)
    assert not caught.value.retryable


def test_interrupt_leaves_nothing_behind() -> None:
    """Ctrl-C ends the request at once, and the server sees it."""
    slot = OneSlot()

    def interrupt() -> None:
        assert slot.begun.wait(20)
        os.kill(os.getpid(), signal.SIGINT)

    with chat(slot.reply) as model:
        pressing = threading.Thread(target=interrupt)
        pressing.start()
        with pytest.raises(KeyboardInterrupt):
            ask(model)
        assert slot.is_free()
        pressing.join()


def test_deadline_holds_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's proxy is used for other machines, and its connection is ended as well."""
    slot = OneSlot()
    with loopback.server(slot.reply) as proxy:
        for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
        with closing(OpenAIChat(endpoint("http://models.example.org/v1"))) as model:
            is_late(model)
            assert slot.is_free()
            assert "Paris" == ask(model)


def test_deadline_holds_while_tls_begins() -> None:
    """A handshake that is not answered is left like any other wait, and so is its connection."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        with closing(OpenAIChat(endpoint(url))) as model:
            is_late(model)
    gc.collect()  # (a connection that was forgotten would be told of now)


def test_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that nobody vouches for is refused, and the hint names what makes it known.

    SSL_CERT_FILE does; deadlines hold inside TLS as well.
    """
    slot = OneSlot()
    slot.quick = True
    with loopback.server(slot.reply, certificate=loopback.CERTIFICATE) as url:
        with (
            closing(OpenAIChat(endpoint(url))) as model,
            pytest.raises(ModelError, match="certificate") as caught,
        ):
            ask(model)
        assert not caught.value.retryable
        assert all(word in caught.value.hint for word in ("SSL_CERT_FILE", "base_url"))
        monkeypatch.setenv("SSL_CERT_FILE", loopback.CERTIFICATE)
        with closing(OpenAIChat(endpoint(url))) as model:
            assert "Paris" == ask(model)
            slot.quick = False
            is_late(model)


def test_address_that_does_not_speak_tls() -> None:
    """https:// to a server that speaks plain HTTP is told from one that is down."""
    with (
        loopback.server(lambda _: loopback.text_reply("Paris")) as url,
        closing(OpenAIChat(endpoint(url.replace("http:", "https:")))) as model,
        pytest.raises(ModelError, match="does not speak TLS"),
    ):
        ask(model)


def test_server_that_moves_and_dies() -> None:
    """The next call goes to its new address; where nobody listens, the error names that one."""
    with (
        loopback.server(lambda _: loopback.text_reply("old")) as old,
        loopback.server(lambda _: loopback.text_reply("new")) as new,
    ):
        at = iter([old, new, new])
        model = OpenAIChat(replace(endpoint(old), url=lambda: next(at), where=new))
        assert ["old", "new"] == [ask(model), ask(model)]
    with closing(model), pytest.raises(ModelUnavailableError, match="be reached") as caught:
        ask(model)
    assert new in caught.value.hint


@pytest.mark.parametrize("proxy", ["socks://127.0.0.1:1080/", "http://127.0.0.1:9", "nonsense"])
def test_proxies_are_passed_by_on_this_machine(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes to this machine's own server takes no proxy, whatever the environment says."""
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, proxy)
    with (
        loopback.server(
            lambda given: loopback.text_reply("a") if "messages" in given else VECTOR
        ) as url,
        closing(OpenAIChat(endpoint(url))) as model,
        closing(OpenAIEmbedder(endpoint(url))) as embedder,
    ):
        assert ("a", [[1.0, 0.0]]) == (ask(model), embedder.embed(["a"]))


VECTOR = loopback.embedding_reply([[2, 0]])


@pytest.mark.parametrize("scheme", ["socks", "socks5", "ftp"])
def test_a_proxy_that_cannot_be_used_is_told(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To another machine it is an error that names the variables; nothing is sent."""
    tried: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *named, **_: tried.append(named))
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://me:SECRET@127.0.0.1:1080/")
    with pytest.raises(ModelError, match=FAR) as caught:
        ask(OpenAIChat(endpoint(FAR)))
    assert "ALL_PROXY" in caught.value.hint
    assert "SECRET" not in f"{caught.value} {caught.value.hint}"
    assert [] == tried
