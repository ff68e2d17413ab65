"""Descriptions of an API description, line by line."""

import html
import re
from collections.abc import Iterator, Sequence

from research_agent.documents.openapi.tree import plain

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)"
    r"\b[^<>]*>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br|p|li|div|tr|h[1-6]|/p|/div)\b[^<>]*>", re.IGNORECASE)
_OWN_LINE = re.compile(r"\s*(?:[-*+\u2022]\s|\d{1,3}[.)]\s|#{1,6}\s|\||```|~~~|>)")


def paragraphs(value: object) -> tuple[str, ...]:
    r"""Return a description line by line: wrapped lines are joined, lists and code stay lines.

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
    fenced = False
    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        text = " ".join(line.split())
        if current and (fenced or not text or _OWN_LINE.match(line)):
            yield current
            current = ""
        if not fence:
            current = f"{current} {text}".strip()
    if current:
        yield current
