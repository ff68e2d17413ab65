"""Web pages: one address, fetched in a child process, and only from public machines.

Every hop of a redirection is looked up once, refused unless all its addresses are public, and
fetched from the address that was looked at, so that a name cannot lead elsewhere meanwhile.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
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
_REDIRECTED = frozenset({301, 302, 303, 307, 308})
_OK, _SAME = 200, 304


def fetch(request: str) -> dict[str, str]:
    """Write what is at an address to a file, and say what it is; {} where it has not changed.

    The request is JSON: `url`, `file`, `max_bytes`, `etag` and `modified` of the last reply, and
    `own`, with which this machine may be asked, for tests. Raises DocumentError.
    """
    wanted = json.loads(request)
    known = {"If-None-Match": wanted["etag"], "If-Modified-Since": wanted["modified"]}
    headers = HEADERS | {name: value for name, value in known.items() if value}
    url = httpx.URL(wanted["url"])
    for _ in range(HOPS + 1):
        try:
            with _reply(url, headers, own=wanted["own"]) as reply:
                if reply.status_code not in _REDIRECTED:
                    return _kept(reply, wanted, url)
                url = url.join(reply.headers.get("location", ""))
        except httpx.TimeoutException as error:
            raise DocumentError(f"{url.host} does not answer") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise DocumentError(f"{url.host} cannot be reached: {error}"[:200]) from error
    raise DocumentError(f"it redirects more than {HOPS} times")


@contextmanager
def _reply(url: httpx.URL, headers: dict[str, str], *, own: bool) -> Iterator[httpx.Response]:
    if url.scheme not in {"http", "https"} or not url.host:
        raise DocumentError(f"it leads to {str(url)[:80]}, which is no web address")
    if url.userinfo:
        raise DocumentError("it holds a name or a password, which would be kept with the index")
    address = _address(url, own=own)
    named = headers | {"Host": url.netloc.decode("ascii").rpartition("@")[2]}
    with (
        httpx.Client(timeout=WAIT, trust_env=False) as client,
        client.stream(
            "GET",
            url.copy_with(host=address, fragment=None),
            headers=named,
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        ) as reply,
    ):
        yield reply


def _address(url: httpx.URL, *, own: bool) -> str:
    """Return an address of a host; raises DocumentError unless all of them are public."""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DocumentError(f"{url.host} is not known") from error
    addresses = sorted({str(one[4][0]) for one in found}, key=lambda text: (":" in text, text))
    for address in addresses:
        seen = ip_address(address.partition("%")[0])
        if not is_public(seen) and not (own and seen.is_loopback):
            raise DocumentError(
                f"{url.host} is {address}, which is no public address",
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


def _kept(reply: httpx.Response, wanted: dict[str, Any], url: httpx.URL) -> dict[str, str]:
    """Write the reply to its file, piece by piece, as text in UTF-8 where it says what it is."""
    if reply.status_code == _SAME:
        return {}
    if reply.status_code != _OK:
        raise DocumentError(f"{url.host} answers {reply.status_code} {reply.reason_phrase}".strip())
    limit, size = int(wanted["max_bytes"]), 0
    declared = reply.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise DocumentError(f"{int(declared) / 1e6:.1f} MB; documents.max_file_mb is less")
    path = Path(wanted["file"])
    with path.open("wb") as stream:
        for piece in reply.iter_bytes():
            size += len(piece)
            if size > limit:
                raise DocumentError(f"more than {limit / 1e6:g} MB (documents.max_file_mb)")
            stream.write(piece)
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if reply.charset_encoding and kind.startswith(("text/", "application/xhtml")):
        try:
            text = path.read_bytes().decode(reply.charset_encoding)
            path.write_bytes(text.encode("utf-8-sig"))
        except (LookupError, UnicodeError):
            pass  # (it is read by what it says itself, or by guess)
    names = {"etag": "etag", "modified": "last-modified"}
    found = {name: reply.headers.get(header, "") for name, header in names.items()}
    return found | {"kind": kind, "path": url.path}
