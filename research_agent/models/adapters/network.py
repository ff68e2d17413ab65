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
    """Refuses connections while it is open; made by `forbid_outside`."""

    def __init__(self) -> None:
        """Begin to refuse."""
        self._open = True
        _Hook.change(+1)

    def close(self) -> None:
        """Stop refusing, unless another guard is open; calling it again does nothing."""
        if self._open:
            self._open = False
            _Hook.change(-1)


def forbid_outside() -> NetworkGuard:
    """Refuse, in this process, everything but loopback addresses and sockets of this machine.

    Whoever tries gets OutsideConnectionError, an OSError, until the returned guard is closed.
    """
    return NetworkGuard()


class _Hook:
    """The one hook of the process: it stays once it is there, and refuses while guards are open."""

    _lock = Lock()
    _guards = 0
    _installed = False

    @classmethod
    def change(cls, by: int) -> None:
        """Count an open guard more or less."""
        with cls._lock:
            cls._guards += by
            if not cls._installed:
                cls._installed = True
                sys.addaudithook(cls.see)

    @classmethod
    def see(cls, event: str, arguments: tuple[object, ...]) -> None:
        """Raise OutsideConnectionError for what leads to another machine."""
        if not cls._guards or not event.startswith("socket."):
            return
        if event in _ADDRESSED:
            _check_address(arguments)
        elif event in _NAMED and not is_own(arguments[0]):
            raise _refusal(arguments[0])


def _check_address(arguments: tuple[object, ...]) -> None:
    """Look at the socket and the address of a connection or a datagram."""
    family, address = getattr(arguments[0], "family", None), arguments[-1]
    if family in _LOCAL_FAMILIES or address is None:  # (None: to where it is connected already)
        return
    host = address[0] if isinstance(address, tuple) and address else address
    if not isinstance(host, str | bytes) or not is_own(host):
        raise _refusal(host)


def _refusal(host: object) -> OutsideConnectionError:
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    return OutsideConnectionError(
        f"{name!r} is not on this machine, and the program runs offline (models.offline)"
    )
