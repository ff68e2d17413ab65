"""Requests that nobody waits for any more: at a deadline, when closed, when interrupted."""

import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from research_agent.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from research_agent.models.adapters.openai import OpenAIChat
from tests.loopback import Json, Live, Peer, Script, server, text_reply
from tests.loopback_faults import chunk, head, streamed
from tests.models.openai_models import ASKED, chat, endpoint

CERTIFICATE = Path(__file__).parents[1] / "data" / "loopback.pem"


def ask(model: OpenAIChat, *, seconds: float = 20, max_tokens: int = 9) -> str:
    return model.complete("answer", ASKED, max_tokens=max_tokens, seconds=seconds).text


class OneSlot:
    """A server that works on one request at a time and writes nothing until it is let."""

    def __init__(self) -> None:
        self.slot, self.begun, self.quick = threading.Lock(), threading.Event(), False

    def reply(self, _given: Json) -> Json | Live:
        return text_reply("Paris") if self.quick else Live(self.work)

    def work(self, peer: Peer) -> None:
        with self.slot:
            self.begun.set()
            peer.send(head() + chunk("Paris"))
            peer.gone(20)

    def is_free(self) -> bool:
        return self.slot.acquire(timeout=0.6)


def test_a_request_that_is_late_is_dropped() -> None:
    """The server sees its client leave, and has its one place free again."""
    slot = OneSlot()
    with chat(slot.reply) as model:
        with pytest.raises(ModelTimeoutError, match="in time") as caught:
            ask(model, seconds=0.3)
        assert slot.is_free()
        slot.quick = True
        assert "Paris" == ask(model)
    assert "models.timeout" in caught.value.hint


def test_the_connection_ends_with_its_stream() -> None:
    """After a whole reply the server is not left with a connection that nobody reads from."""
    left = threading.Event()

    def write(peer: Peer) -> None:
        peer.send(streamed(text_reply("Paris")))
        if peer.gone(5):
            left.set()

    with chat(lambda _: Live(write)) as model:
        assert "Paris" == ask(model)
        assert left.wait(1)


def test_the_endpoint_has_a_deadline_of_its_own() -> None:
    """The shorter one of the two holds."""
    slot = OneSlot()
    with chat(slot.reply, timeout=0.2) as model, pytest.raises(ModelTimeoutError, match=r"0\.2 s"):
        ask(model, seconds=20)


def test_no_time_left() -> None:
    """Nothing is sent."""
    seen: list[Json] = []

    def script(given: Json) -> Json:
        seen.append(given)
        return text_reply("Paris")

    with chat(script) as model, pytest.raises(ModelTimeoutError):
        ask(model, seconds=0.0)
    assert [] == seen


def test_deadline_holds_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's proxy is used for other machines, and its connection is ended as well."""
    slot = OneSlot()
    with server(slot.reply) as proxy:
        for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
        model = OpenAIChat(endpoint("http://models.example.org/v1"))
        with pytest.raises(ModelTimeoutError):
            ask(model, seconds=0.3)
        assert slot.is_free()
        slot.quick = True
        assert "Paris" == ask(model)
        model.close()


def test_closing_ends_what_is_asked() -> None:
    """The call ends at once, with an error that is no reason to ask again."""
    slot = OneSlot()
    with ThreadPoolExecutor(1) as pool, chat(slot.reply) as model:
        asking = pool.submit(ask, model)
        assert slot.begun.wait(5)
        begun = time.monotonic()
        model.close()
        with pytest.raises(ModelError, match="closed") as caught:
            asking.result(5)
        assert time.monotonic() - begun < 1
        assert slot.is_free()
        slot.quick = True
        assert "Paris" == ask(model)
    assert not caught.value.retryable


def test_interrupt_leaves_nothing_behind() -> None:
    """Ctrl-C ends the request at once: the server sees it, and no thread is left."""
    slot = OneSlot()

    def interrupt() -> None:
        assert slot.begun.wait(5)
        os.kill(os.getpid(), signal.SIGINT)

    with chat(slot.reply) as model:
        pressing = threading.Thread(target=interrupt)
        pressing.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ask(model)
        assert time.monotonic() - begun < 5
        assert slot.is_free()
        pressing.join()


def test_deadline_holds_while_a_name_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system cannot be kept from waiting for does not keep the caller."""
    free = threading.Event()
    lookup = socket.getaddrinfo

    def slow(*named: Any, **more: Any) -> object:  # noqa: ANN401 (handed on as they come)
        free.wait(10)
        return lookup(*named, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with server(lambda _: text_reply("Paris")) as url:
        model = OpenAIChat(endpoint(url.replace("127.0.0.1", "localhost")))
        begun = time.monotonic()
        with pytest.raises(ModelTimeoutError):
            ask(model, seconds=0.3)
        assert time.monotonic() - begun < 0.7
        free.set()
        assert "Paris" == ask(model)
        model.close()


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes connections and never says anything, not even of TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/v1"


def test_deadline_holds_while_tls_begins() -> None:
    """A handshake that is not answered is left like any other wait."""
    with silent() as url:
        model = OpenAIChat(endpoint(url))
        begun = time.monotonic()
        with pytest.raises(ModelTimeoutError):
            ask(model, seconds=0.3)
        assert time.monotonic() - begun < 0.7
        model.close()
    gc.collect()  # (a connection that was forgotten would be told of now)


def secured(script: Script) -> OpenAIChat:
    """Return a model that was asked once over TLS; raises its error."""
    with server(script, certificate=str(CERTIFICATE)) as url:
        model = OpenAIChat(endpoint(url))
        try:
            ask(model)
            with pytest.raises(ModelTimeoutError):
                ask(model, seconds=0.3)
        finally:
            model.close()
    return model


def test_certificate_that_nobody_vouches_for() -> None:
    """It is refused, and the hint names what makes it known."""
    with pytest.raises(ModelError, match="certificate") as caught:
        secured(lambda _: text_reply("Paris"))
    assert not caught.value.retryable
    assert all(word in caught.value.hint for word in ("SSL_CERT_FILE", "base_url"))


def test_certificate_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE makes it known; deadlines hold inside TLS as well."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    slot = OneSlot()
    slot.quick = True

    def script(given: Json) -> Json | Live:
        reply = slot.reply(given)
        slot.quick = False
        return reply

    secured(script)


def test_address_that_does_not_speak_tls() -> None:
    """https:// to a server that speaks plain HTTP is told from one that is down."""
    with server(lambda _: text_reply("Paris")) as url:
        model = OpenAIChat(endpoint(url.replace("http:", "https:")))
        with pytest.raises(ModelError, match="does not speak TLS"):
            ask(model)
        model.close()


def test_server_that_dies_between_two_calls() -> None:
    """The next call finds it gone, which is a reason to ask again later."""
    with server(lambda _: text_reply("Paris")) as url:
        model = OpenAIChat(endpoint(url))
        assert "Paris" == ask(model)
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        ask(model)
    model.close()
