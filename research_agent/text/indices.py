r"""Indices and exponents in plain text: `x_i`, `10^12`, `2^{n+1}`.

A reader of a format puts small type between two marks with `marked`, and gets the plain text with
`written` once the characters around it are known.

>>> written("10" + marked("^", "12") + " a" + marked("_", "i") + "b")
'10^12 a_{i}b'
"""

import re
from typing import Literal

Side = Literal["^", "_"]
"""Raised or lowered."""

OPEN, CLOSE = "\x02", "\x03"
"""Marks around small type; its side follows the first one."""
_STRUCK, _KEPT = "\x04", "\x05"
"""Marks around text that is struck out."""
_GOES_ON = re.compile(f"{_KEPT}([ \\t]*){_STRUCK}")
_BARE = frozenset("_\u2032\u2033\u2034\u00b0\u00ae\u2122\u00a9\u2120'\"\u2019\u201d`")
"""Signs that are small and high by themselves."""
_SIMPLE = re.compile(r"[-+\u2212\u00b1]?[^\W_]+(?:\.[^\W_]+)*|[^\w\s]")
_MARKED = re.compile(rf"{OPEN}([\^_])([^{OPEN}{CLOSE}]*){CLOSE}")
_STRAY = re.compile(rf"{OPEN}[\^_]?|{CLOSE}")


def marked(side: Side, text: str) -> str:
    """Return small type between marks."""
    return f"{OPEN}{side}{text}{CLOSE}"


def struck(text: str) -> str:
    """Return text that is struck out between marks, without the spaces around it.

    >>> written(struck("30 ") + struck("days ") + "14 days")
    '~~30 days~~ 14 days'
    """
    words = text.strip()
    return text.replace(words, f"{_STRUCK}{words}{_KEPT}", 1) if words else text


def written(text: str) -> str:
    """Return a text with its marked parts as indices and exponents, and without any marks.

    At the beginning of a text, as before a footnote, and in square brackets they stay as they are.

    >>> written(marked("^", "3") + "A note." + marked("^", "[4]"))
    '3 A note.[4]'
    """
    found = 1
    while found:  # (from the innermost outwards)
        first = len(text) - len(text.lstrip(f"{OPEN}^_ \n"))
        text, found = _MARKED.subn(lambda match: _written(match, first), text)  # noqa: B023 (used at once)
    text = _GOES_ON.sub(r"\1", _STRAY.sub("", text))
    return text.replace(_STRUCK, "~~").replace(_KEPT, "~~")


def _written(match: re.Match[str], first: int) -> str:
    """Return a marked part without its marks; `first` is the place of the first character."""
    small, after = " ".join(match[2].split()), match.string[match.end() : match.end() + 1]
    if small and match.start() < first:
        return f"{small} "
    bracketed = small[:1] == "[" and small[-1:] == "]"
    return small if bracketed or not small else index(match[1], small, closed=after.isalnum())


def bracketed(text: str) -> str:
    """Return a part of a formula, in brackets where its end would not be seen.

    >>> bracketed("a1"), bracketed("a + 1")
    ('a1', '(a + 1)')
    """
    return text if text.isalnum() else f"({text})"


def index(side: str, text: str, *, closed: bool) -> str:
    """Return an index or exponent with its mark; in braces where its end would not be seen.

    With `closed` a letter or digit follows.
    """
    if _BARE.issuperset(text):
        return text
    simple = not closed and _SIMPLE.fullmatch(text)
    return f"{side}{text}" if simple else f"{side}{{{text}}}"
