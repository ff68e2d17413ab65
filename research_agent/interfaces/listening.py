"""A port for the doors that serve one: of this machine alone, unless another host is named."""

import signal
import socket
from types import FrameType

from research_agent.errors import ConfigError

HOST = "127.0.0.1"


def listening(port: int, *, option: str, host: str = HOST) -> socket.socket:
    """Return a socket bound to a port (0: a free one) of an address; raises ConfigError.

    `option` names the option of the command line that chooses another one.
    """
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise ConfigError(
            f"port {port} cannot be used: {error.strerror}", hint=f"Name another: {option} PORT"
        ) from error
    return made


def exit_at_sigterm() -> None:
    """Let SIGTERM end this process in order, with what is open closed.

    uvicorn ends its server at the signal and then raises it again, which would kill the process.
    """
    signal.signal(signal.SIGTERM, _exit)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
