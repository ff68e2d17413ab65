"""The header Retry-After, in both its forms and in none."""

import pytest

from research_agent.models.retry_after import date_seconds, retry_after_seconds

NOON = 1_794_916_800.0
"""17 November 2026, 12:00 UTC."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("1.5", 1.5),
        ("999999999999", 999999999999.0),
        ("9" * 400, None),
        ("Tue, 17 Nov 2026 12:01:00 GMT", 60.0),
        ("Tuesday, 17-Nov-26 12:01:00 GMT", 60.0),
        ("Tue Nov 17 12:01:00 2026", 60.0),
        ("Tue, 17 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("inf", None),
        ("nan", None),
        ("1e3", None),
        ("tomorrow", None),
        ("Tue, 17 Foo 2026 12:01:00 GMT", None),
        ("Tue, 17 Nov 99999999 12:01:00 GMT", None),
        ("\x00", None),
    ],
)
def test_how_long_to_wait(value: str, seconds: float | None) -> None:
    """Seconds and dates are read, a moment that has passed is now, anything else is nothing."""
    assert seconds == retry_after_seconds(value, now=NOON)


def test_zones_count() -> None:
    """Dates of other zones are the moments that they name."""
    assert NOON == date_seconds("Tue, 17 Nov 2026 13:00:00 +0100")
