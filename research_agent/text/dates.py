"""Dates as documents state them."""

import re

_DATE = re.compile(r"\s*(\d{4}(?:([-/.])\d{2}(?:\2\d{2})?)?)(?!\d)", re.ASCII)


def iso_date(text: str) -> str:
    """Return the year, month or day that a text begins with, as ISO 8601 has it; "" for others.

    >>> iso_date("2024-05-13T10:00"), iso_date("2024/05"), iso_date("May 2024")
    ('2024-05-13', '2024-05', '')
    """
    match = _DATE.match(text)
    return match[1].replace(match[2] or "-", "-") if match else ""
