"""The preloaded shim: kills this process at its n-th change of a folder, or lets it fail."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

WRITE, SYNC, MOVE, CUT, OPEN = 1, 2, 4, 8, 16
CHANGES = WRITE | SYNC | MOVE | CUT
KILL_BEFORE, KILL_HALF, KILL_AFTER = -1, -2, -3
_SOURCE = Path(__file__).with_name("shim.c")


def can_be_made() -> bool:
    """Return whether this system has what it takes."""
    return sys.platform == "linux" and shutil.which("gcc") is not None


def made(folder: Path) -> Path:
    """Compile the shim into a folder."""
    library = folder / "shim.so"
    command = ["gcc", "-O1", "-w", "-shared", "-fPIC", "-o", str(library), str(_SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return library


def arm(
    folder: Path, number: int, fault: int, *, kinds: int = CHANGES, lasting: bool = False
) -> None:
    """Let the change `number` (from 1; 0: none) below `folder` be a kill or fail with an errno."""
    _shim().shim_arm(os.fsencode(folder), kinds, ctypes.c_long(number), fault, int(lasting))


def seen() -> int:
    """Return the changes since `arm`."""
    return int(_shim().shim_seen())


def _shim() -> ctypes.CDLL:
    shim = ctypes.CDLL(None)
    shim.shim_seen.restype = ctypes.c_long
    return shim
