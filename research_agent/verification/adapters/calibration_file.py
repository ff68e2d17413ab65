"""The file beside an index that holds its fitted limits."""

import json
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.private_files import replace_text
from research_agent.verification.calibration import Calibration

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
MAX_BYTES = 1_000_000
NAMES = {field.name for field in fields(Calibration)}


def read_calibration(path: Path) -> Calibration | None:
    """Return the calibration that a file holds, None where there is no file.

    Raises IndexDamagedError for a file that cannot be read, or that another version wrote.
    """
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(MAX_BYTES), parse_constant=_refused)
        if content.pop("format") != FORMAT or content.keys() - NAMES:
            raise ValueError("another version wrote it")  # noqa: TRY301 (told like the others)
        return _codec().validate_python(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise IndexDamagedError(
            f"The calibration {path} cannot be read: {reason[:200]}.",
            hint="Make it anew: research-agent calibrate",
        ) from error


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Put a calibration in the place of an earlier one at once; only its owner may read it.

    Raises IndexingError where it cannot be written.
    """
    try:
        replace_text(path, json.dumps({"format": FORMAT, **asdict(calibration)}, indent=1))
    except OSError as error:
        raise IndexingError(
            f"The calibration {path} cannot be written: {error}.",
            hint="Look at the free space of the disk, and at who may write to the folder.",
        ) from error


def _refused(name: str) -> float:
    """Refuse NaN and the infinities, which Python's JSON has: nothing compares to them."""
    raise ValueError(f"{name} is no threshold")


@cache
def _codec() -> "TypeAdapter[Calibration]":
    from pydantic import TypeAdapter

    return TypeAdapter(Calibration)
