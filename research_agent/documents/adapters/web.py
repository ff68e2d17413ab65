"""Web pages: one address, fetched in a child process, and only from public machines.

Every hop of a redirection is looked up once, refused unless all its addresses are public, and
fetched from the address that was looked at, so that a name cannot lead elsewhere meanwhile.
"""

import json
import socket
from contextlib import closing, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any

import httpx

from research_agent.errors import DocumentError

HOPS = 5  # redirections that are followed
WAIT = 20.0  # seconds for a connection, and for each piece of a reply
HEADERS = {"User-Agent": "research-agent", "Accept-Encoding": "gzip, deflate", "Accept": "*/*"}

_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""Addresses of the new kind with one of the old kind in their last 32 bits."""
_OK, _SAME = 200, 304


def fetch(request: str) -> dict[str, str]:
    """Write what is at an address to a file, and say what it is; {} where it has not changed.

    The request is JSON: `url`, `file`, `max_bytes`, `etag` and `modified` of the last reply, and
    `own`, with which this machine may be asked, for tests. Raises DocumentError.
    """
    wanted = json.loads(request)
    known = {"If-None-Match": wanted["etag"], "If-Modified-Since": wanted["modified"]}
    headers = HEADERS | {name: value for name, value in known.items() if value}
    host = str(wanted["url"])[:80]
    try:
        with httpx.Client(
            transport=_Public(own=wanted["own"]), trust_env=False, timeout=WAIT, headers=headers
        ) as client:
            hop: httpx.Request | None = client.build_request("GET", wanted["url"])
            for _ in range(HOPS + 1):
                if hop is not None:
                    host = hop.url.host
                    with closing(client.send(hop, stream=True)) as reply:
                        hop = reply.next_request
                        if hop is None:
                            return _kept(reply, wanted)
    except httpx.TimeoutException as error:
        raise DocumentError(f"{host} does not answer") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise DocumentError(f"{host} cannot be reached: {error}"[:200]) from error
    raise DocumentError(f"it redirects more than {HOPS} times")


class _Public(httpx.HTTPTransport):
    def __init__(self, *, own: bool) -> None:
        # A kept connection would be another machine's with the same address.
        super().__init__(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
        self._own = own

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url, name = request.url, request.url.raw_host.decode("ascii")
        if url.scheme not in {"http", "https"} or not name:
            raise DocumentError(f"it leads to {str(url)[:80]}, which is no web address")
        if url.userinfo:
            raise DocumentError("it holds a name or a password, which would be kept with the index")
        extensions = request.extensions | {"sni_hostname": name}
        there = url.copy_with(host=self._address(name))
        return super().handle_request(
            httpx.Request("GET", there, headers=request.headers, extensions=extensions)
        )

    def _address(self, host: str) -> str:
        try:
            infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DocumentError(f"{host} is not known") from error
        addresses = sorted(
            {str(info[4][0]) for info in infos}, key=lambda text: (":" in text, text)
        )
        for address in addresses:
            seen = ip_address(address.partition("%")[0])
            if not is_public(seen) and not (self._own and seen.is_loopback):
                raise DocumentError(
                    f"{host} is {address}, which is no public address",
                    hint="save the page as a file and index that",
                )
        return addresses[0]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Say whether an address is of the public internet, also one within an address.

    >>> [is_public(ip_address(x)) for x in ("93.184.215.14", "10.0.0.1", "::ffff:127.0.0.1")]
    [True, False, False]
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if any(address in network for network in _TRANSLATED):
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast


def _kept(reply: httpx.Response, request: dict[str, Any]) -> dict[str, str]:
    status, pieces = reply.status_code, bytearray()
    if status == _SAME:
        return {}
    if status != _OK:
        raise DocumentError(f"{reply.url.host} answers {status} {reply.reason_phrase}".strip())
    for piece in reply.iter_bytes():
        pieces += piece
        if len(pieces) > request["max_bytes"]:
            limit = f"{request['max_bytes'] / 1e6:g}"
            raise DocumentError(f"more than {limit} MB (documents.max_file_mb)")
    data = bytes(pieces)
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if reply.charset_encoding and kind.startswith(("text/", "application/xhtml")):
        with suppress(LookupError, UnicodeError):  # (it is read by what it says itself, or guess)
            data = data.decode(reply.charset_encoding).encode("utf-8-sig")
    Path(request["file"]).write_bytes(data)
    names = {"etag": "etag", "modified": "last-modified"}
    kept = {name: reply.headers.get(header, "") for name, header in names.items()}
    return kept | {"kind": kind, "path": reply.url.path}
