"""Keeping a process from everything but its own machine.

The interpreter reports every connection, datagram and name look-up that Python code begins; the
guard refuses those that lead elsewhere. It does not see what compiled libraries do past Python's
sockets, nor other programs, and a name that is handed to `socket.connect` itself is looked up
before the guard is asked: a sandbox of the system (`unshare -rn`) shows all of those.
"""

import socket
import sys
from threading import Lock

from research_agent.closeable import Closing
from research_agent.text.loopback import is_own

_ADDRESSED = ("socket.connect", "socket.sendto", "socket.sendmsg")
_NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_LOCAL_FAMILIES = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)
)


class OutsideConnectionError(PermissionError):
    """A connection to another machine was refused, because the program runs offline."""


class NetworkGuard(Closing):
    """Refuses, while one is open in this process, all but loopback addresses and local sockets.

    Others raise OutsideConnectionError, an OSError.
    """

    _lock = Lock()
    _guards = 0
    _installed = False

    def __init__(self) -> None:
        self._open = True
        with self._lock:
            NetworkGuard._guards += 1
            if not self._installed:  # (a hook cannot be taken out again)
                NetworkGuard._installed = True
                sys.addaudithook(_see)

    def close(self) -> None:
        """Stop refusing, unless another guard is open; calling it again does nothing."""
        with self._lock:
            NetworkGuard._guards -= self._open
            self._open = False

    @classmethod
    def is_on(cls) -> bool:
        """Return whether any guard is open."""
        return cls._guards > 0


def _see(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket.") or not NetworkGuard.is_on():
        return
    if event in _ADDRESSED:
        family, address = getattr(arguments[0], "family", None), arguments[-1]
        if family in _LOCAL_FAMILIES or address is None:  # (None: to where it is connected already)
            return
        host = address[0] if isinstance(address, tuple) and address else address
        if not isinstance(host, str | bytes) or not is_own(host):
            raise _refusal(host)
    elif event in _NAMED and not is_own(arguments[0]):
        raise _refusal(arguments[0])


def _refusal(host: object) -> OutsideConnectionError:
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    return OutsideConnectionError(
        f"{name!r} is not on this machine, and the program runs offline (models.offline)"
    )
