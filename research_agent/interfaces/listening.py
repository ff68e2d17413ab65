"""A port of this machine alone, for the doors that serve one."""

import socket

from research_agent.errors import ConfigError

HOST = "127.0.0.1"


def listening(port: int, *, option: str) -> socket.socket:
    """Return a socket bound to a loopback port (0: a free one); raises ConfigError.

    `option` names the option of the command line that chooses another one.
    """
    made = socket.socket()
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise ConfigError(
            f"port {port} cannot be used: {error.strerror}", hint=f"Name another: {option} PORT"
        ) from error
    return made
