"""The header Retry-After, in both its forms and in none."""

import pytest

from research_agent.text.retry_after import retry_after

NOON = 1_794_916_800.0
"""17 November 2026, 12:00 UTC."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("1.5", 1.5),
        ("9" * 400, None),
        ("Tue, 17 Nov 2026 12:01:00 GMT", 60.0),
        ("Tue, 17 Nov 2026 13:01:00 +0100", 60.0),
        ("Tuesday, 17-Nov-26 12:01:00 GMT", 60.0),
        ("Tue Nov 17 12:01:00 2026", 60.0),
        ("Tue, 17 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("inf", None),
        ("Tue, 17 Nov 99999999 12:01:00 GMT", None),
        ("\x00", None),
    ],
)
def test_how_long_to_wait(value: str, seconds: float | None) -> None:
    """Seconds and dates are read, a moment that has passed is now, anything else is nothing."""
    assert seconds == retry_after({"retry-after": value}, now=NOON)


def test_server_clock_and_milliseconds() -> None:
    """A date counts by the server's Date; OpenAI's header in milliseconds is the finer one."""
    by_date = {"retry-after": "Tue, 17 Nov 2026 12:00:09 GMT"}

    assert 9.0 == retry_after({**by_date, "date": "Tue, 17 Nov 2026 12:00:00 GMT"}, now=0.0)
    assert 1.5 == retry_after({"retry-after": "2", "retry-after-ms": "1500"}, now=0.0)
