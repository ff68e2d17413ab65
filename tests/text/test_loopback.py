"""This machine is told from all others by a host or an address, however they are written."""

import pytest

from research_agent.text.loopback import is_loopback, is_own


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("app.localhost", True),
        (bytearray(b"localhost"), True),
        (None, True),
        ("", False),
        ("0.0.0.0", False),  # noqa: S104 (an address to connect to, here)
        ("::ffff:8.8.8.8", False),
        ("localhost.example.org", False),
        ("fe80::1%eth0", False),
        ("127.0.0.1.example.org", False),
        (b"\xff", False),
    ],
)
def test_what_this_machine_is(host: object, *, own: bool) -> None:
    """Loopback addresses and localhost, in every way of writing them; nothing that looks alike."""
    assert own == is_own(host)


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://[::1]:8080", True),
        ("https://LOCALHOST./v1", True),
        ("http://user@localhost/v1", True),
        ("http://localhost@example.org/v1", False),
        ("http://example.org/localhost", False),
        ("localhost:8080", False),
        ("http://[::1", False),
        ("http://localhost\\@example.org/v1", False),
        ("http://localhost#@example.org/v1", True),
        ("http://localhost:80@example.org/v1", False),
        ("http://localhost:80:80/v1", False),
        ("http://local host/v1", False),
        ("http://localhost\n.example.org/v1", False),
        ("http://[::1].example.org/v1", False),
        ("http://a@b@localhost:1/v1", True),
        ("", False),
    ],
)
def test_addresses_of_servers(url: str, *, own: bool) -> None:
    """The host alone counts; what is no address is no server of this machine."""
    assert own == is_loopback(url)
