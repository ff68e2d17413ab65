"""Reference marks in running text: "[4]" is no number that the text says."""

import re

_LABEL = r"[A-Za-z]{1,8}\d+[a-z]?"
_PAGE = rf"{_LABEL}(?:,\s*(?:{_LABEL}|\d+))*"
_NUMBERS = r"[1-9]\d{0,3}[a-z]?(?:\s*[,;\u2013-]\s*[1-9]\d{0,3}[a-z]?)*"
_MARK = re.compile(
    rf"(?:\s+|^|(?<=[a-z\u00e0-\u024f]{{2}})|(?<=[.,;:!?)\]\"'\u201d\u2019]))"
    rf"(?:\[(?:{_PAGE}|{_NUMBERS})\])+(?![\w\[(])(?!\s*[=^*/+<>\u2190])"
)
_BEFORE_INTERVAL = re.compile(
    r"(?:\b(?:in|interval|intervals|range|ranges|between|from|over|within|to|vector|list|array|tuple"
    r"|selang|rentang|antara|dalam|larik)|[=\u2208({,:<>])\s*$",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\[\d+\s*[,;]\s*\d+\]")
FAR = 20
"""Characters before two numbers in brackets, of which a word says that they are an interval."""


def without_reference_marks(text: str) -> str:
    """Return a text without reference marks such as [4], [4, 7] or [RS10].

    Elements of arrays and intervals stay.

    >>> without_reference_marks("It has 32 bytes [4], and more.[5][6-8]")
    'It has 32 bytes, and more.'
    >>> without_reference_marks("A[3] lies in [0, 1], x in [1, 2] and y in [3, 4].")
    'A[3] lies in [0, 1], x in [1, 2] and y in [3, 4].'
    """
    return _MARK.sub(_blanked, text)


def _blanked(match: re.Match[str]) -> str:
    before = match.string[max(match.start() - FAR, 0) : match.start()]
    is_interval = _PAIR.search(match.group()) and _BEFORE_INTERVAL.search(before)
    return match.group() if is_interval else ""
