"""The lines of a trace, also of a run that has crashed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research_agent.errors import PathError
from research_agent.models.traces import FORMAT

MAX_BYTES = 2**30


def read_lines(path: str) -> list[Mapping[str, Any]]:
    """Return the lines of a trace, the header first; raises PathError for what is none.

    A last line that was cut off, as a crash may leave it, is passed over.
    """
    try:
        file = Path(path).expanduser()
        if file.stat().st_size > MAX_BYTES:
            raise _no_trace(path, "it is too large")
        texts = file.read_bytes().split(b"\n")
    except OSError as error:
        raise _no_trace(path, error.strerror or str(error)) from error
    lines = [_parsed(path, number, text) for number, text in enumerate(texts[:-1], 1)]
    if not lines or lines[0].get("line") != "header":
        raise _no_trace(path, "it does not begin with a header")
    if lines[0].get("format") != FORMAT:
        raise _no_trace(path, f"its format is {lines[0].get('format')!r}, not {FORMAT}")
    return lines


def _parsed(path: str, number: int, text: bytes) -> Mapping[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_trace(path, f"line {number} is not JSON") from error
    if not isinstance(line, dict):
        raise _no_trace(path, f"line {number} is no JSON object")
    return line


def _no_trace(path: str, why: str) -> PathError:
    return PathError(
        f"{path} is no trace that can be replayed: {why}",
        hint="Name a file that `research-agent ask --trace FOLDER` has written.",
    )
