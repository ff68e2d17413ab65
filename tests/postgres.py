"""A PostgreSQL server of this machine, on a socket of its own alone."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.needed import missing, needed_package

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + [
    Path(found).parent for found in [shutil.which("initdb")] if found
]


def user() -> list[str]:
    """Return what a server's command begins with: it refuses to run as root."""
    if os.geteuid():
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        missing("PostgreSQL does not run as root, and there is no user postgres")
    return ["runuser", "-u", "postgres", "--"]


@contextmanager
def postgres() -> Iterator[str]:
    needed_package("psycopg", "postgres")
    if not BINARIES:
        missing("no PostgreSQL server is installed")
    binaries, begin = BINARIES[-1], user()
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:
        folder = Path(name)
        if begin:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        started = [str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        made = [str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "tester"]
        subprocess.run([*begin, *made], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        subprocess.run(
            [*begin, *started, "-o", options, "start"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield f"host={folder} user=tester dbname=postgres"
        finally:
            stop = [*started, "-m", "immediate", "stop"]
            subprocess.run([*begin, *stop], cwd=folder, check=True, stdout=subprocess.DEVNULL)
