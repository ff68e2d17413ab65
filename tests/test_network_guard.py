"""The guard: this machine is reached, no other one is, and it can be switched off."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

OUTSIDE = "192.0.2.1"  # (an address that is given to nobody: RFC 5737)
PROGRAM = """
import socket, sys, urllib.request
from research_agent.network_guard import NetworkGuard

def tried(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "done"

def udp(call, *address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        getattr(sending, call)(b"x" if call == "sendto" else [b"x"], *address)

def connected(family, address):
    with socket.socket(family) as one:
        one.settimeout(0.2)
        one.connect(address)

def unix():
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        connected(socket.AF_UNIX, sys.argv[1])

def loopback():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        connected(socket.AF_INET, listening.getsockname())
        connected(socket.AF_INET, ("localhost", listening.getsockname()[1]))

guard = NetworkGuard()
second = NetworkGuard()
second.close()
second.close()
print(tried(lambda: connected(socket.AF_INET, ("192.0.2.1", 9))))
print(tried(lambda: connected(socket.AF_INET6, ("2001:db8::1", 9))))
print(tried(lambda: udp("sendto", ("192.0.2.1", 9))))
print(tried(lambda: udp("sendmsg", [], 0, ("192.0.2.1", 9))))
print(tried(lambda: socket.getaddrinfo("example.org", 443)))
print(tried(lambda: socket.gethostbyname("example.org")))
print(tried(lambda: socket.gethostbyaddr("192.0.2.1")))
print(tried(lambda: urllib.request.urlopen("http://192.0.2.1/", timeout=0.2)))
print(tried(loopback))
print(tried(unix))
print(tried(lambda: socket.getaddrinfo(None, 80)))
guard.close()
print(tried(lambda: connected(socket.AF_INET, ("192.0.2.1", 9))) == "OutsideConnectionError")
"""


def test_only_this_machine_is_reached(tmp_path: Path) -> None:
    """Connections, datagrams and names that lead elsewhere are refused, until it is closed."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "s")],
        capture_output=True,
        check=True,
        text=True,
    )
    refused = ["OutsideConnectionError"] * 7

    assert [*refused, "URLError", "done", "done", "done", "False"] == ran.stdout.split()


def test_error_is_one_of_the_system() -> None:
    """Libraries translate it like any other failed connection; it says why."""
    from research_agent.network_guard import NetworkGuard

    with (
        NetworkGuard(),
        socket.socket(type=socket.SOCK_DGRAM) as one,
        pytest.raises(OSError, match=r"192\.0\.2\.1.* runs offline"),
    ):
        one.sendto(b"x", (OUTSIDE, 9))
