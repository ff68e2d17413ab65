"""How long a server wants to be left alone: the header Retry-After."""

import math
import re
from email.utils import mktime_tz, parsedate_tz

SECONDS = re.compile(r"\d+(\.\d+)?")


def retry_after_seconds(value: str, *, now: float) -> float | None:
    """Return the seconds to wait; None where `value` is neither a number nor a date.

    `now` is the time in seconds since 1970, best by the server's own clock. A moment that has
    passed is 0. The caller says how much is too much.

    >>> retry_after_seconds("7", now=0.0)
    7.0
    >>> retry_after_seconds("Thu, 01 Jan 1970 00:01:00 GMT", now=50.0)
    10.0
    >>> retry_after_seconds("soon", now=0.0) is None
    True
    """
    given = value.strip()
    if SECONDS.fullmatch(given):
        seconds = float(given)
        return seconds if math.isfinite(seconds) else None
    moment = date_seconds(given)
    return None if moment is None else max(0.0, moment - now)


def date_seconds(value: str) -> float | None:
    """Return an HTTP date in seconds since 1970; None where `value` is none.

    >>> date_seconds("Thu, 01 Jan 1970 00:01:00 GMT"), date_seconds("never")
    (60.0, None)
    """
    try:
        parsed = parsedate_tz(value)
        return None if parsed is None else float(mktime_tz(parsed))
    except (ValueError, OverflowError, IndexError, TypeError):  # (a date that no calendar has)
        return None
