"""Damage of a PDF that the library mends without a word: what may be missing then."""

import re

_START = re.compile(rb"startxref\s+(\d{1,12})\s*(?:%%EOF\s*)?$")
_TABLE = re.compile(rb"\s*(?:xref\b|\d+\s+\d+\s+obj\b)")
_COUNT = re.compile(rb"/Type\s*/Pages\b[^<>]{0,4000}?/Count\s+(\d{1,7})\b")
_COUNT_FIRST = re.compile(rb"/Count\s+(\d{1,7})\b[^<>]{0,4000}?/Type\s*/Pages\b")
_LINEAR = re.compile(rb"/Linearized\b[^<>]{0,400}?/N\s+(\d{1,7})\b")
CUT = "the end of the file is missing"
TAIL = 2048
"""Bytes at the end in which a whole file says where its table of objects is."""


def damage(data: bytes) -> str:
    """Return how a file is damaged as a whole; empty where its parts are where it says.

    >>> damage(b"%PDF-1.7 1 0 obj")
    'the end of the file is missing'
    """
    end = data[-TAIL:].rstrip(b"\0\r\n\t ")
    if b"%%EOF" not in end:
        return CUT
    start = _START.search(end[: end.rfind(b"%%EOF") + 5])
    shift = max(data[:TAIL].find(b"%PDF-"), 0)
    places = (int(start[1]), int(start[1]) + shift) if start else ()
    if any(_TABLE.match(data, place) for place in places):
        return ""
    return "its table of objects is damaged"


def named_pages(data: bytes) -> int:
    """Return how many pages a file says it has, as far as that is not compressed; else 0.

    >>> named_pages(b"<< /Type /Pages /Kids [5 0 R] /Count 9 >>")
    9
    """
    found = (*_COUNT.findall(data), *_COUNT_FIRST.findall(data), *_LINEAR.findall(data[:TAIL]))
    return max(map(int, found), default=0)
