"""Lines -> running text: words that the end of a line cuts are joined again."""

import re
from collections.abc import Collection, Iterable, Sequence
from unicodedata import east_asian_width, name

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W_]+(?:-[^\W_]+)*)([-\u2010\u00ad])$")
_HEAD = re.compile(r"[^\W_]+")
_LEADERS = re.compile(r"(?:\s*\.){4,}\s*")


def vocabulary(lines: Iterable[str]) -> frozenset[str]:
    """Return the words of some lines in small letters, without last words before a hyphen."""
    found: set[str] = set()
    for line in lines:
        text = _TAIL.sub("", line)
        found.update(word.lower() for word in _WORD.findall(text))
    return frozenset(found)


def join_lines(lines: Sequence[str], words: Collection[str] = ()) -> str:
    """Return the lines as one; `words` decide what a hyphen at a line's end means.

    >>> join_lines(["a lattice-", "based stan-", "dard"], {"lattice-based"})
    'a lattice-based standard'
    >>> join_lines(["1.1 Purpose . . . . . . . 3"])
    '1.1 Purpose … 3'
    """
    pieces: list[str] = []
    for line in lines:
        glue = _glue(pieces[-1], line, words) if pieces else ""
        if pieces and _is_unspaced(pieces[-1][-1:], line[:1]):
            pieces[-1] += line
        elif pieces and glue != " ":
            pieces[-1] = pieces[-1][:-1] + glue + line
        else:
            pieces.append(line)
    text = " ".join(pieces).replace("\N{SOFT HYPHEN}", "")
    return _LEADERS.sub(" \N{HORIZONTAL ELLIPSIS} ", text).strip()


def _is_unspaced(*sides: str) -> bool:
    """Return whether two characters are of scripts without spaces between words."""
    return all(
        side and east_asian_width(side) in "WF" and not name(side, "").startswith("HANGUL")
        for side in sides
    )


def _glue(before: str, line: str, words: Collection[str]) -> str:
    tail, head = _TAIL.search(before[-80:]), _HEAD.match(line)
    if tail is None or head is None:
        return " "
    whole, compound = f"{tail[1]}{head[0]}".lower(), f"{tail[1]}-{head[0]}".lower()
    if compound in words or head[0][0].isdigit():
        return "-"
    if whole in words or tail[2] == "\N{SOFT HYPHEN}":
        return "" if head[0][0].islower() else "-"
    return "" if tail[1][-1].islower() and head[0][0].islower() and "-" not in tail[1] else "-"
