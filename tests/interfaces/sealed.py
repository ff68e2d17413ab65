"""Commands in a process that ends at once when it uses a socket to any other machine."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

BROKE_OUT = 99
"""Exit status of a process that tried; its last words name what it wanted."""
SEAL = """
import os, sys

def watch(event, arguments):
    if event not in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
                     "socket.gethostbyname", "socket.gethostbyaddr"):
        return
    if getattr(arguments[0], "family", None) == 1:
        return
    host = arguments[-1] if hasattr(arguments[0], "family") else arguments[0]
    host = host[0] if isinstance(host, tuple) else host
    if host not in ("127.0.0.1", "::1", "localhost", b"localhost", None):
        os.write(2, f"broke out: {event} {host!r}\\n".encode())
        os._exit(99)

sys.addaudithook(watch)
"""
COMMANDS = """
import json, sys
from research_agent.interfaces.cli.main import main

for command in json.loads(sys.argv[1]):
    try:
        main(command)
    except SystemExit as ended:
        if ended.code:
            raise
"""
"""Gives commands, up to the first that fails."""


@cache
def has_namespaces() -> bool:
    """Return whether this system lets a program run in a network namespace of its own."""
    try:
        return 0 == subprocess.run(["unshare", "-rn", "true"], check=False).returncode  # noqa: S607 (as found on the path)
    except OSError:
        return False


def sealed(
    *commands: Sequence[str],
    folder: Path,
    apart: bool = False,
    environment: Mapping[str, str] | None = None,
    code: str = COMMANDS,
) -> subprocess.CompletedProcess[str]:
    """Give commands to a process; `apart`: in an empty network namespace, where there are such."""
    seal = folder / "seal"
    seal.mkdir(exist_ok=True)
    (seal / "sitecustomize.py").write_text(SEAL, encoding="utf-8")
    paths = [str(seal), *filter(None, sys.path)]
    before = ["unshare", "-rn"] if apart and has_namespaces() else []
    return subprocess.run(
        [*before, sys.executable, "-c", code, json.dumps(commands)],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(environment or {})},
    )
