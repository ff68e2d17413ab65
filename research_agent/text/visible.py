"""Text of others, made harmless where it is shown."""

import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")

_ESCAPED_ITEM = re.compile(r"^([ \t]*)\\([-*+] )", re.MULTILINE)
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\([0B])")
"""What sets colours, the cursor or the drawing characters of a terminal (ECMA-48, VT100)."""


def visible(text: str) -> str:
    r"""Return `text` with control and invisible characters made visible; line ends stay.

    Documents and models are not trusted: an escape sequence could rewrite the terminal.

    >>> visible("red \x1b[31m alert\u202e")
    'red \\x1b[31m alert\\u202e'
    """
    return "".join(
        c
        if c in "\n\t" or unicodedata.category(c) not in _HIDDEN
        else c.encode("unicode_escape").decode()
        for c in text
    )


def without_colours(text: str) -> str:
    r"""Return text without what sets colours and the cursor of a terminal.

    >>> without_colours("\x1b[1;32mdone\x1b(B\x1b[m")
    'done'
    """
    return _TERMINAL.sub("", text)


def escaped_markdown(text: str) -> str:
    """Return text that means nothing in Markdown; line ends stay."""
    return _SPECIAL.sub(r"\\\1", visible(text))


def escaped_answer(text: str) -> str:
    r"""Return text of which only lists mean something in Markdown.

    >>> escaped_answer("- *two*\n- three")
    '- \\*two\\*\n- three'
    """
    return _ESCAPED_ITEM.sub(r"\1\2", escaped_markdown(text))


def plain(text: str) -> str:
    """Return text that means nothing in Markdown, on one line."""
    return escaped_markdown(" ".join(text.split()))
