"""The least gain of a chunk: how many right chunks it may cost."""

import pytest

from research_agent.verification.calibration.gain_limits import NEVER, Gains, fit_gain


def fit(*seen: Gains, rate: float = 0.2) -> tuple[float, int, int] | None:
    found = fit_gain(seen, rate=rate, writers="m", settings="s")
    return None if found is None else (found.value, found.right_lost, found.others_lost)


def rights(*values: float) -> list[Gains]:
    return [Gains(value) for value in values]


@pytest.mark.parametrize(
    ("count", "limit"), [(3, None), (4, (0.0, 0, 0)), (8, (0.0, 0, 0)), (9, (0.1, 1, 0))]
)
def test_one_more_lost_chunk_has_to_fit(count: int, limit: tuple[float, int, int] | None) -> None:
    """(lost + 1) / (questions + 1) <= 0.2: four questions pay for none, nine for one."""
    assert limit == fit(*rights(*(number / 10 for number in range(count))))


def test_equal_gains_are_kept_or_lost_together() -> None:
    """A limit between equal gains there is not."""
    assert (0.1, 0, 0) == fit(*rights(*[0.1] * 8, 0.4))
    assert (0.1, 1, 0) == fit(*rights(0.0, *[0.1] * 8))


def test_limits_may_be_below_zero() -> None:
    """Where right chunks make a model less sure, pruning is mild; the others show its worth."""
    seen = [Gains(-0.05, other) for other in (-0.2, -0.1, 0.0, 0.1, None)]

    assert (-0.05, 0, 2) == fit(*seen)


def test_a_chunk_that_makes_it_refuse_is_lost_always() -> None:
    """With too many of them there is no limit, and none where all do."""
    refused = rights(*[NEVER] * 2)

    assert fit(*refused, *rights(*[0.1] * 10)) is None
    assert (0.1, 2, 0) == fit(*refused, *rights(*[0.1] * 13))
    assert fit(*rights(*[NEVER] * 9), rate=0.5) is None
    assert fit() is None


def test_a_limit_has_few_digits_and_loses_none_more() -> None:
    """It is rounded down."""
    found = fit_gain(rights(*[0.123_456] * 9), rate=0.2, writers="m", settings="s")

    assert found is not None
    assert (0.1234, 0) == (found.value, found.right_lost)
