"""A port for the doors that serve one: of this machine alone, unless another host is named."""

import signal
import socket
import sys

from research_agent.errors import ConfigError

HOST = "127.0.0.1"


def listening(port: int, *, option: str, host: str = HOST) -> socket.socket:
    """Return a socket that listens at a port (0: a free one): who connects waits for an answer.

    Raises ConfigError that names `option` where the port cannot be used.
    """
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen()
    except OSError as error:
        made.close()
        other = f"Name another: {option} PORT" + (" or --host ADDRESS" if host != HOST else "")
        raise ConfigError(
            f"{host}, port {port} cannot be used: {error.strerror}", hint=other
        ) from error
    return made


def exit_at_sigterm() -> None:
    """Let SIGTERM end this process in order: uvicorn raises the signal again at its end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
