"""What this process is called where another one meets it."""

import os
import socket
import sys
from pathlib import Path


def process() -> str:
    """Return id, machine and command of this process."""
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return f"process {os.getpid()} on {socket.gethostname()} ({command[:100]})"
