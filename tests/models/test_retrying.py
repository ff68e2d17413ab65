"""Whether a failed request is sent again, deadlines from measured rates, and what is learned."""

import math

import pytest

from research_agent.errors import (
    ModelBusyError,
    ModelError,
    ModelUnavailableError,
)
from research_agent.models.retrying import LONGEST_ASKED, final_error, retry_delay
from research_agent.models.server_capabilities import (
    FIRST_SECONDS,
    Rates,
    halved,
    measured,
    slowest,
    try_deadline,
)
from research_agent.types import ModelCall

DOWN = ModelUnavailableError("down")


def delay(
    error: ModelError, tries: int = 1, *, left: float = math.inf, chance: float = 0.5
) -> float | None:
    return retry_delay(error, tries, retries=20, left=left, chance=chance)


def test_waits_double_up_to_a_limit() -> None:
    """Half a second, doubled each time, thirty at most; chance takes its share of all of it."""
    limits = [delay(DOWN, tries, chance=1.0) for tries in range(1, 10)]

    assert [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0] == limits
    assert 0.0 == delay(DOWN, 5, chance=0.0)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (0.0, 0.25),
        (-30.0, 0.25),
        (LONGEST_ASKED, LONGEST_ASKED + 0.25),
        (LONGEST_ASKED + 1, None),
        (math.inf, None),
        (math.nan, None),
    ],
)
def test_retry_after_is_honoured(asked: float, expected: float | None) -> None:
    """Never earlier than the server asks, and not at all where it asks for minutes."""
    assert expected == delay(ModelBusyError("busy", retry_after=asked))


def test_wait_has_to_fit_into_what_is_left() -> None:
    """With a second for the try itself."""
    busy = ModelBusyError("busy", retry_after=10.0)

    assert 10.0 == delay(busy, left=11.0, chance=0.0)
    assert delay(busy, left=10.9, chance=0.0) is None
    assert delay(DOWN, left=0.0, chance=0.0) is None


def test_last_error_keeps_class_hint_and_wait() -> None:
    """It says how often was tried, and how long the server wants to be left alone."""
    final = final_error(ModelBusyError("busy", hint="Wait.", retry_after=300.2), 3)

    assert ModelBusyError is type(final)
    assert "busy (after 3 tries; it asks to be left alone for 301 s)" == str(final)
    assert ("Wait.", 300.2, 3) == (final.hint, final.retry_after, final.tries)
    assert DOWN is final_error(DOWN, 1)
    endless = ModelBusyError("busy", retry_after=math.inf)
    assert "busy (it asks to be left alone for ever)" == str(final_error(endless, 1))


@pytest.mark.parametrize(
    ("call", "seconds", "expected"),
    [
        (ModelCall("a", 1000, 50), 9.0, Rates()),
        (ModelCall("a", 1000, 50, read_seconds=4.0), 9.0, Rates(250.0, 10.0)),
        (ModelCall("a", 1000, 50, 990, read_seconds=4.0), 9.0, Rates(None, 10.0)),
        (ModelCall("a", 1000, 7, read_seconds=4.0), 4.7, Rates(250.0, None)),
        (ModelCall("a", 1000, 50, read_seconds=4.0), 3.0, Rates(250.0, 200.0)),
        (ModelCall("a", 1000, 50, read_seconds=0.0), 5.0, Rates(5000.0, 10.0)),
        (ModelCall("a", 40, 10, read_seconds=80.0), 180.0, Rates(1.0, 1.0)),
        (ModelCall("a", 40, 10, read_seconds=math.nan), 9.0, Rates()),
    ],
    ids=["no-stream", "both", "cached", "short", "at-once", "no-read", "slow", "nan"],
)
def test_rates_are_measured_where_a_reply_tells(
    call: ModelCall, seconds: float, expected: Rates
) -> None:
    """Too small samples and whole replies tell nothing; no rate is endless or next to nothing."""
    assert expected == measured(call, seconds)


def test_deadline_follows_the_slowest_rates() -> None:
    """It is generous until both are known; a faster reply shortens no deadline; halving ends."""
    first = Rates(100.0, 10.0)

    assert {FIRST_SECONDS} == {try_deadline(r, 9, 9) for r in (Rates(), Rates(1.0), Rates(None, 1))}
    assert first == slowest(first, Rates(900.0, 90.0))
    assert 2 * (1000 / 50 + 300 / 10) + 5 == try_deadline(slowest(first, Rates(50.0)), 1000, 300)
    for _ in range(100):
        first = halved(first)
    assert Rates(1.0, 1.0) == first


@pytest.mark.parametrize("rate", [0.0, -1.0, math.inf, math.nan])
def test_impossible_rates_are_refused(rate: float) -> None:
    """Nothing can be divided by them."""
    with pytest.raises(ValueError, match="positive"):
        Rates(read=rate)
