"""A conversation as a file: Markdown with citations that open, or a report on the last answer."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from research_agent.errors import PathError
from research_agent.interfaces.chat.showing import address
from research_agent.interfaces.cli.terminal import visible
from research_agent.types.conversation import Turn

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")
_KEY = re.compile(r"\[(c\d+)\]")


def markdown(name: str, turns: Sequence[Turn]) -> str:
    """Return the turns as Markdown; a citation is a link to its page.

    Whatever documents and models have written is escaped: no markup, links or HTML of theirs
    survives, and control characters are made visible.
    """
    parts = [f"# {plain(name)}", *(_turn(turn) for turn in turns)]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    r"""Return text that means nothing in Markdown, on one line.

    >>> plain("<b>[x](http://y)\x1b")
    '\\<b\\>\\[x\\]\\(http://y\\)\\\\x1b'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def in_home(path: str) -> str:
    """Return a path with the folder that "~" stands for; raises PathError where nobody has it."""
    try:
        return str(Path(path).expanduser())
    except RuntimeError as error:
        raise PathError(f"{path}: {error}", hint="Write the folder's path in full.") from error


def write_new(path: str, text: str) -> None:
    """Write a new file that only its owner may read; raises PathError where there is one."""
    target = Path(path)
    try:
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(made, "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise PathError(f"{path} is there already", hint="Name another file.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PathError(
            f"{path} cannot be written: {reason}", hint="Name a file in a folder of yours."
        ) from error


def _turn(turn: Turn) -> str:
    links = {item.key: address(item.source, item.quoted_page) for item in turn.citations}

    def link(match: re.Match[str]) -> str:
        found = links.get(match[1])
        return f"[\\[{match[1]}\\]](<{found}>)" if found else plain(match.group())

    pieces = _KEY.split(turn.answer)
    answer = "".join(
        _KEY.sub(link, f"[{piece}]") if at % 2 else _SPECIAL.sub(r"\\\1", visible(piece))
        for at, piece in enumerate(pieces)
    )
    asked = [f"*Asked:* {plain(turn.question)}"] if turn.question != turn.text else []
    cited = [
        f"- [\\[{item.key}\\] {plain(item.place)}](<{links[item.key]}>): "
        f"\N{LEFT DOUBLE QUOTATION MARK}{plain(item.quote)}\N{RIGHT DOUBLE QUOTATION MARK}"
        for item in turn.citations
    ]
    return "\n\n".join(
        [f"## {plain(turn.text)}", *asked, answer, *(["\n".join(cited)] if cited else [])]
    )
