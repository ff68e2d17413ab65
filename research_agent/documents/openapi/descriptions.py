"""What an API description says of its parts (CommonMark): blocks, or lines of an item.

Most descriptions are plain text. One that has a form is read as files in Markdown are.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from textwrap import dedent

from research_agent.documents.openapi.tree import Api, plain
from research_agent.types.documents import Block

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)"
    r"\b[^<>]*>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br|p|li|div|tr|h[1-6]|/p|/div)\b[^<>]*>", re.IGNORECASE)
_OWN_LINE = re.compile(r"\s*(?:[-*+\u2022]\s|\d{1,3}[.)]\s|#{1,6}\s|\||>)")
BY_LINES = frozenset({"code", "table"})
"""Kinds of blocks whose lines are kept."""


def structured(api: Api, value: object) -> tuple[Block, ...]:
    """Return the blocks of a description with headings, lists, code or tables; else none."""
    if not isinstance(value, str) or not ("\n" in value or "<" in value):
        return ()
    blocks = tuple(api.markdown(dedent(value)))
    return blocks if any(block.section or block.kind != "text" for block in blocks) else ()


def lines_of(api: Api, value: object) -> tuple[str, ...]:
    """Return the lines of a description in an item, as `paragraphs`; code and tables keep theirs.

    Lists keep their levels.
    """
    blocks = structured(api, value)
    if any(block.kind in BY_LINES or block.text.startswith(" ") for block in blocks):
        return tuple(_lines(blocks))
    return paragraphs(value)


def remark(api: Api, value: object) -> tuple[str, ...]:
    """Return a description in one line, the lines of its code and tables below it; or nothing."""
    blocks = structured(api, value)
    if all(block.kind not in BY_LINES for block in blocks):
        return tuple(filter(None, [one_line(value)]))
    lead = tuple(takewhile(lambda block: block.kind not in BY_LINES, blocks))
    return " ".join(" ".join(_lines(lead)).split()), *_lines(blocks[len(lead) :])


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind in BY_LINES:
            yield from filter(str.strip, block.text.split("\n"))
        else:
            indent = block.text[: -len(block.text.lstrip(" "))]
            yield indent + " ".join(block.text.split())


def paragraphs(value: object) -> tuple[str, ...]:
    r"""Return a description line by line: wrapped lines are joined, lists stay lines.

    Addresses of Markdown links and tags of HTML are left out.

    >>> paragraphs("One\nline, see [it](https://x).\n\n* a\n* b")
    ('One line, see it.', '* a', '* b')
    """
    if not isinstance(value, str):
        return tuple(line for line in [plain(value)] if line)
    bare = html.unescape(_TAG.sub("", _BREAK.sub("\n\n", _LINK.sub(r"\1", value))))
    return tuple(_unwrapped(bare.split("\n")))


def one_line(value: object) -> str:
    """Return a description in one line."""
    return " ".join(paragraphs(value))


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    current = ""
    for line in lines:
        text = " ".join(line.split())
        if current and (not text or _OWN_LINE.match(line)):
            yield current
            current = ""
        current = f"{current} {text}".strip()
    if current:
        yield current
