"""Deadlines from measured rates: what counts as a measurement, and what follows from one."""

import math

import pytest

from research_agent.models.server_capabilities import (
    FIRST_SECONDS,
    Rates,
    halved,
    measured,
    slowest,
    try_deadline,
)
from research_agent.types import ModelCall


@pytest.mark.parametrize(
    ("call", "seconds", "expected"),
    [
        (ModelCall("a", 1000, 50), 9.0, Rates()),
        (ModelCall("a", 1000, 50, read_seconds=4.0), 9.0, Rates(250.0, 10.0)),
        (ModelCall("a", 1000, 50, 990, read_seconds=4.0), 9.0, Rates(None, 10.0)),
        (ModelCall("a", 1000, 7, read_seconds=4.0), 4.7, Rates(250.0, None)),
        (ModelCall("a", 1000, 50, read_seconds=4.0), 4.0, Rates(250.0, 200.0)),
        (ModelCall("a", 1000, 50, read_seconds=4.0), 3.0, Rates(250.0, 200.0)),
        (ModelCall("a", 1000, 50, read_seconds=0.0), 5.0, Rates(5000.0, 10.0)),
        (ModelCall("a", 40, 10, read_seconds=80.0), 180.0, Rates(1.0, 1.0)),
        (ModelCall("a", 40, 10, read_seconds=math.nan), 9.0, Rates()),
    ],
    ids=["no-stream", "both", "cached", "short", "at-once", "clock", "no-read", "slow", "nan"],
)
def test_rates_are_measured_where_a_reply_tells(
    call: ModelCall, seconds: float, expected: Rates
) -> None:
    """Too small samples and whole replies tell nothing; no rate is endless or next to nothing."""
    assert expected == measured(call, seconds)


def test_deadline_is_generous_until_both_rates_are_known() -> None:
    """One rate is not enough."""
    rates = [Rates(), Rates(read=100.0), Rates(write=10.0)]

    assert [FIRST_SECONDS] * 3 == [try_deadline(known, 1000, 300) for known in rates]


def test_deadline_follows_the_slowest_rates() -> None:
    """A faster reply shortens no deadline; a slower one lengthens it."""
    first = Rates(100.0, 10.0)

    assert first == slowest(first, Rates(900.0, 90.0))
    assert 2 * (1000 / 50 + 300 / 10) + 5 == try_deadline(slowest(first, Rates(50.0)), 1000, 300)


def test_halving_ends() -> None:
    """A server that hangs a hundred times does not get a deadline without end."""
    rates = Rates(100.0, 10.0)
    for _ in range(100):
        rates = halved(rates)

    assert Rates(1.0, 1.0) == rates


@pytest.mark.parametrize("rate", [0.0, -1.0, math.inf, math.nan])
def test_impossible_rates_are_refused(rate: float) -> None:
    """Nothing can be divided by them."""
    with pytest.raises(ValueError, match="positive"):
        Rates(read=rate)
