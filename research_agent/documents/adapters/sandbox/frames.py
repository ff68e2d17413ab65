"""What parent and child say to each other: JSON in frames that begin with their length.

JSON and not pickle, because a file that takes over the child must not get into the parent.
"""

import json
import struct
from dataclasses import asdict
from typing import IO, Any

from research_agent.types.documents import Block, ParsedDocument, ParseQuality
from research_agent.types.references import PRIORITY, Link

_LENGTH = struct.Struct(">Q")
LARGEST = 1 << 32
"""Bytes of a frame at most."""


def write_frame(stream: IO[bytes], message: object) -> None:
    """Write one frame."""
    data = json.dumps(message).encode("ascii")
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> object:
    """Return the next frame's message; raises EOFError where the other side has ended."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > LARGEST:
        raise EOFError
    message: object = json.loads(_exactly(stream, length))
    return message


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def document_message(document: ParsedDocument) -> object:
    """Return a document as JSON's own types."""
    return asdict(document)


def message_document(message: object) -> ParsedDocument:
    """Return the document of `document_message`; raises TypeError or KeyError for anything else.

    >>> block = Block("text", section=("A", "B"), anchors=("#a",), links=(Link("#b", "link"),))
    >>> document = ParsedDocument((block,), warnings=("w",))
    >>> message_document(json.loads(json.dumps(document_message(document)))) == document
    True
    """
    if not isinstance(message, dict):
        raise TypeError
    return ParsedDocument(
        blocks=tuple(_block(block) for block in message["blocks"]),
        title=str(message["title"]),
        date=str(message["date"]),
        page_texts=tuple(message["page_texts"]),
        page_labels=tuple(message["page_labels"]),
        warnings=tuple(message["warnings"]),
        quality=ParseQuality(**message["quality"]),
    )


def _block(message: dict[str, Any]) -> Block:
    """Return one block, its lists as tuples again."""
    return Block(
        **{
            **message,
            "section": tuple(message["section"]),
            "anchors": tuple(message["anchors"]),
            "links": tuple(_link(link) for link in message["links"]),
        }
    )


def _link(message: dict[str, Any]) -> Link:
    """Return one link; raises KeyError for a kind that there is not."""
    if message["kind"] not in PRIORITY:
        raise KeyError(message["kind"])
    return Link(**message)
