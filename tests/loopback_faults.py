"""Everything that a model server can do wrong, by name.

    with server(FAULTS["hang before the headers"](good)) as url:
        ...

Each fault wraps the script of a good server: some faults pass, and then the good one replies.
"""

import gzip
import itertools
import json
import time
from collections.abc import Callable, Mapping
from email.utils import formatdate

from tests.loopback import CLOSED, Json, Live, Peer, Raw, Script, error_reply, text_reply

Fault = Callable[[Script], Script]

FOR_EVER = 600.0
"""Seconds that no test waits for."""
DRIP = 0.02
"""Seconds between two bytes."""
HTML = Raw(200, b"<html>SECRET</html>", "text/html")
REPLY = text_reply("Paris is the capital")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
"""The status line and the headers of a reply that ends with its connection."""
BODY = json.dumps(REPLY).encode()


def sized(body: bytes) -> bytes:
    """The status line and the headers of a reply that says how long it is."""
    return HEAD.replace(b"Connection: close", b"Content-Length: %d" % len(body))


def always(reply: Json | Raw | Live) -> Fault:
    """A server that knows this one reply."""
    return lambda _good: lambda _given: reply


def once(reply: Json | Raw | Live) -> Fault:
    """A server that is good from the second request on."""

    def fault(good: Script) -> Script:
        left = [reply]
        return lambda given: left.pop() if left else good(given)

    return fault


def unless(asked: str, reply: Raw) -> Fault:
    """A server that is good where a request does not ask for something."""
    return lambda good: lambda given: reply if given.get(asked) else good(given)


def writing(*parts: bytes) -> Live:
    """The parts, and the end of the connection."""
    return Live(lambda peer: peer.send(b"".join(parts)))


def hanging(*parts: bytes) -> Live:
    """The parts, and then nothing more."""

    def write(peer: Peer) -> None:
        peer.send(b"".join(parts))
        peer.gone(FOR_EVER)

    return Live(write)


def dripping(first: bytes, rest: bytes) -> Live:
    """The first bytes at once, the rest byte by byte."""

    def write(peer: Peer) -> None:
        peer.send(first)
        for byte in rest:
            peer.send(bytes([byte]))
            if peer.gone(DRIP):
                return

    return Live(write)


def written(*parts: bytes) -> Fault:
    """A server that writes the parts and closes the connection."""
    return always(writing(*parts))


def hang(*parts: bytes) -> Fault:
    """A server that writes the parts and then nothing more."""
    return always(hanging(*parts))


def dripped(first: bytes, rest: bytes) -> Fault:
    """A server that writes the rest byte by byte."""
    return always(dripping(first, rest))


def endless(first: bytes, part: bytes) -> Fault:
    """A server that repeats a part for ever."""

    def write(peer: Peer) -> None:
        peer.send(first)
        for _ in itertools.takewhile(lambda _: not peer.gone(0), itertools.count()):
            peer.send(part)

    return always(Live(write))


def reset(*parts: bytes) -> Fault:
    """A server that crashes after the parts."""

    def write(peer: Peer) -> None:
        peer.send(b"".join(parts))
        peer.gone(0.05)  # (so that what was written arrives)
        peer.reset()

    return always(Live(write))


def busy(retry_after: str) -> Raw:
    """A server with too much to do."""
    refusal = error_reply(429, "SECRET", kind="rate_limit_error")
    return Raw(429, refusal.body, headers={"Retry-After": retry_after})


def _later(good: Script) -> Script:
    return once(busy(formatdate(time.time() + 2, usegmt=True)))(good)


OVERFLOW = error_reply(
    400, "SECRET exceeds the available context size (2048)", kind="exceed_context_size_error"
)
EMPTY = {**REPLY, "choices": []}

FAULTS: Mapping[str, Fault] = {
    "429, Retry-After in seconds": once(busy("1")),
    "429, Retry-After as a date": _later,
    "429, Retry-After of a day": always(busy("86400")),
    "500 once": once(error_reply(500, "SECRET")),
    "500 for ever": always(error_reply(500, "SECRET")),
    "closed without a reply": always(CLOSED),
    "reset without a reply": reset(),
    "reset within the reply": reset(sized(BODY), BODY[:50]),
    "hang before the headers": hang(),
    "hang within the headers": hang(HEAD[:-4]),
    "hang within the body": hang(HEAD, BODY[:50]),
    "headers dripped": dripped(b"", HEAD + BODY),
    "body dripped": dripped(HEAD, BODY),
    "endless body": endless(HEAD, b" " * 4096),
    "body cut": written(sized(BODY), BODY[:50]),
    "null content": always(text_reply(None, tokens=[])),
    "empty choices": always(EMPTY),
    "invalid JSON": always(Raw(200, b'{"choices": [{"mess')),
    "2 MB reply": always(text_reply("a" * 2_000_000, tokens=[])),
    "wrong content type": always(HTML),
    "compressed though not asked": always(
        Raw(200, gzip.compress(json.dumps(REPLY).encode()), headers={"Content-Encoding": "gzip"})
    ),
    "redirect": always(Raw(307, headers={"Location": "/elsewhere"})),
    "context overflow": always(OVERFLOW),
    "unknown model": always(error_reply(404, "SECRET", code="model_not_found")),
    "key refused": always(error_reply(401, "SECRET", code="invalid_api_key")),
    "log-probabilities refused": unless("logprobs", error_reply(400, "logprobs: no")),
}
"""What can go wrong behind an address that answers at all."""
