"""How long a server wants to be left alone: the header Retry-After."""

import math
import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

SECONDS = re.compile(r"\d+(\.\d+)?")


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the seconds to wait, 0 for a moment that has passed; None where the headers name none.

    Keys are in lower case. A date counts by the server's Date, else by `now`, seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds, moment = _number(value), _moment(value)
    if seconds is not None or moment is None:
        return seconds
    clock = _moment(headers.get("date", ""))
    return max(0.0, moment - (now if clock is None else clock))


def _number(value: str) -> float | None:
    text = value.strip()
    number = float(text) if SECONDS.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _moment(value: str) -> float | None:
    try:
        parsed = parsedate_tz(value)
        return None if parsed is None else float(mktime_tz(parsed))
    except (ValueError, OverflowError, IndexError, TypeError):  # (a date that no calendar has)
        return None
