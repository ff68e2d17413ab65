"""Pages as pictures, drawn in a child process: PDFs are hostile, and so is what they draw."""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox import SandboxedFunction
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import Box, PagePicture, PageRequest

BEGINNINGS = {"png": b"\x89PNG\r\n", "jpeg": b"\xff\xd8\xff"}
"""First bytes of the pictures that are let through."""


class PagePictures(Closing):
    """Draws pages of PDFs within the limits for reading them; close it."""

    def __init__(self, settings: DocumentSettings) -> None:
        self._child = SandboxedFunction(
            f"{__name__}:{draw.__name__}",
            seconds=settings.parse_seconds,
            memory_mb=settings.parse_memory_mb,
        )

    def draw(self, request: PageRequest) -> PagePicture:
        """Return a page's picture; raises DocumentError, whatever the file holds."""
        reply = self._child.call(json.dumps(asdict(request)))
        try:
            return _picture(reply["value"])
        except (TypeError, KeyError, ValueError) as error:
            raise DocumentError("drawing it failed: the reply is no picture") from error

    def close(self) -> None:
        """End the child."""
        self._child.close()


def draw(request: str) -> object:
    """Draw the page that `request`, a PageRequest in JSON, asks for; runs in the child."""
    from research_agent.documents.adapters.pdf.drawing import draw_page

    asked = json.loads(request)
    try:
        data = Path(asked["path"]).read_bytes()
    except FileNotFoundError as error:
        raise DocumentError("it has vanished") from error
    return asdict(draw_page(data, asked["page"], asked["spans"]))


def _picture(message: Any) -> PagePicture:  # noqa: ANN401 (it is what came out of the child)
    """Return the picture in a reply; raises ValueError for what is no PNG or JPEG in base64."""
    kind, data = str(message["kind"]), str(message["data"])
    if not b64decode(data, validate=True).startswith(BEGINNINGS[kind]):
        raise ValueError(kind)
    return PagePicture(
        kind,
        data,
        width=int(message["width"]),
        height=int(message["height"]),
        text=str(message["text"]),
        boxes=tuple(tuple(map(_box, boxes)) for boxes in message["boxes"]),
    )


def _box(message: Mapping[str, float]) -> Box:
    return Box(*(float(message[side]) for side in ("left", "top", "width", "height")))
