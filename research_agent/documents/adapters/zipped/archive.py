"""What is looked at before an archive is unpacked."""

import zlib
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from research_agent.errors import DocumentError

UNPACKED_MB = 256  # a file that grows larger than this when it is unpacked is refused
PARTS = 20_000  # a file with more parts is refused
FAULTS = (BadZipFile, zlib.error, EOFError, KeyError, ValueError, OSError, NotImplementedError)
"""What the parts of a damaged archive raise when they are unpacked."""
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How Office files before 2007 begin, and those of today that have a password."""


def check_archive(data: bytes, name: str) -> None:
    """Raise DocumentError for what is no archive, has a password, or would fill the memory.

    `name` is that of the format.
    """
    if data.startswith(OLE):
        raise DocumentError(
            f"it has a password, or is older than {name}",
            hint=f"save it in its program as {name} without a password",
        )
    try:
        with ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
    except FAULTS as error:
        raise DocumentError(f"not a readable {name}") from error
    size = sum(part.file_size for part in parts)
    if size > UNPACKED_MB * 1_000_000 or len(parts) > PARTS:
        raise DocumentError(
            f"it would fill {size / 1e6:.0f} MB when unpacked, in {len(parts)} parts"
        )
