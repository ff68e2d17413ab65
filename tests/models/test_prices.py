"""The price of a call: cached tokens apart, and never below nothing."""

import pytest

from research_agent.models.replies import Price, call_price
from research_agent.types import ModelCall


@pytest.mark.parametrize(
    ("price", "call", "expected"),
    [
        (Price(read=2.0, cached=0.5, written=10.0), ModelCall("a", 1000, 100, 400), 0.0024),
        (Price(read=2.0, written=10.0), ModelCall("a", 1000, 100, 400), 0.003),
        (Price(read=2.0, cached=0.0), ModelCall("a", 1000, 100, 400), 0.0012),
        (Price(), ModelCall("a", 1000, 100), 0.0),
        (Price(read=1.0, cached=1.0), ModelCall("a", 100, 0, 400), 0.0001),
        (Price(read=1.0, cached=1.0, written=1.0), ModelCall("a", -5, -7, -9), 0.0),
    ],
    ids=["apart", "as-read", "free", "no-price", "more-cached-than-read", "negative"],
)
def test_price(price: Price, call: ModelCall, expected: float) -> None:
    """Each token is paid once, whatever numbers a server sends."""
    assert pytest.approx(expected) == call_price(price, call)
