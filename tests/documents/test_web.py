"""Fetching one address: what is kept of it, where it may lead, and when it is given up."""

import json
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from research_agent.documents.adapters.web import fetch, is_public
from research_agent.errors import DocumentError
from tests.web_server import Page, Site, squeezed, website


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = {
        "/a": Page(b"<p>Bread</p>", headers={"ETag": '"1"', "Last-Modified": "now"}),
        "/latin": Page("<p>Käse</p>".encode("latin-1"), "text/html; charset=iso-8859-1"),
        "/to-a": Page(status=302, headers={"Location": "/a"}),
        "/round": Page(status=302, headers={"Location": "/round"}),
        "/file": Page(status=302, headers={"Location": "file:///etc/passwd"}),
        "/large": Page(headers={"Content-Length": "1000000000"}),
        "/unsaid": Page(endless="body"),
        "/squeezed": squeezed(3_000_000),
    }
    for name in ("10.0.0.1", "169.254.169.254", "[::ffff:192.168.0.1]", "[64:ff9b::a00:1]"):
        pages[f"/to/{name}"] = Page(status=301, headers={"Location": f"http://{name}/"})
    with website(pages) as running:
        yield running


def got(url: str, tmp_path: Path, *, own: bool = True, etag: str = "") -> dict[str, str]:
    request = {"url": url, "file": str(tmp_path / "f"), "max_bytes": 1_000_000}
    return fetch(json.dumps(request | {"etag": etag, "modified": "", "own": own}))


def test_a_page_is_kept_with_what_its_server_said(site: Site, tmp_path: Path) -> None:
    """A redirection is followed; who has the version gets nothing again."""
    said = got(f"{site.url}/to-a#part", tmp_path)

    assert {"etag": '"1"', "modified": "now", "kind": "text/html", "path": "/a"} == said
    assert "<p>Bread</p>" == (tmp_path / "f").read_text("utf-8-sig")
    assert {} == got(f"{site.url}/a", tmp_path, etag='"1"')


def test_text_of_another_encoding_becomes_utf_8(site: Site, tmp_path: Path) -> None:
    """What the server says of the encoding is not lost with its head."""
    got(f"{site.url}/latin", tmp_path)
    assert "<p>Käse</p>" == (tmp_path / "f").read_text("utf-8-sig")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/to/10.0.0.1", "10.0.0.1 is 10.0.0.1, which is no public address"),
        ("/to/169.254.169.254", "169.254.169.254 is .*, which is no public address"),
        ("/to/[::ffff:192.168.0.1]", "::ffff:192.168.0.1 is .*, which is no public address"),
        ("/to/[64:ff9b::a00:1]", "which is no public address"),
        ("/file", "it leads to file:/+etc/passwd, which is no web address"),
        ("/round", "it redirects more than 5 times"),
        ("/missing", "127.0.0.1 answers 404 Not Found"),
        ("/large", r"1000.0 MB; documents.max_file_mb is less"),
        ("/squeezed", r"more than 1 MB \(documents.max_file_mb\)"),
    ],
)
def test_what_leads_elsewhere_or_is_too_large_is_refused(
    site: Site, tmp_path: Path, path: str, reason: str
) -> None:
    """Every hop is looked at, whatever way its address is written."""
    with pytest.raises(DocumentError, match=reason):
        got(site.url + path, tmp_path)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]"])  # noqa: S104
def test_this_machine_is_not_asked(site: Site, tmp_path: Path, host: str) -> None:
    """No name and no way of writing its address gets past."""
    site.asked.clear()
    with pytest.raises(DocumentError, match="no public address"):
        got(site.url.replace("127.0.0.1", host) + "/a", tmp_path, own=False)
    assert [] == site.asked


def test_an_address_with_a_password_is_refused(site: Site, tmp_path: Path) -> None:
    """It would be kept in the index as the document's path."""
    with pytest.raises(DocumentError, match="password"):
        got(site.url.replace("//", "//ann:secret@") + "/a", tmp_path)


def test_private_addresses() -> None:
    """Those of this machine, of its network, and those that hold such an address."""
    old = "127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.0.1 100.64.0.1 0.0.0.0 224.0.0.1"
    new = "::1 fe80::1 fc00::1 ::ffff:10.0.0.1 2002:a00:1:: 64:ff9b::7f00:1 ff02::1 2001:0:a00:1::"
    addresses = (*old.split(), *new.split(), "255.255.255.255")
    assert [] == [address for address in addresses if is_public(ip_address(address))]
    assert is_public(ip_address("2606:2800:21f:cb07:6820:80da:af6b:8b2c"))
