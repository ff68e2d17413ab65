"""Whether a failed request is sent again, after which wait, and what the last error says."""

import math

import pytest

from research_agent.errors import (
    ContextOverflowError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.models.retrying import LONGEST_ASKED, final_error, retry_delay

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
    "error",
    [ModelError("a"), ModelAccessError("a"), ModelReplyError("a"), ContextOverflowError("a")],
)
def test_lasting_faults_are_not_tried_again(error: ModelError) -> None:
    """The class says whether trying again may help."""
    assert delay(error) is None


@pytest.mark.parametrize("kind", [ModelUnavailableError, ModelBusyError, ModelTimeoutError])
def test_tries_are_used_up(kind: type[ModelUnavailableError]) -> None:
    """Two retries are three tries."""
    waits = [retry_delay(kind("a"), n, retries=2, left=99.0, chance=0.5) for n in (1, 2, 3)]

    assert [0.25, 0.5, None] == waits
    assert retry_delay(kind("a"), 1, retries=0, left=99.0, chance=0.5) is None


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (0.0, 0.25),
        (-30.0, 0.25),
        (7.0, 7.25),
        (LONGEST_ASKED, LONGEST_ASKED + 0.25),
        (LONGEST_ASKED + 1, None),
        (1e9, None),
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
    busy = ModelBusyError("busy", hint="Wait.", retry_after=300.2)

    final = final_error(busy, 3)

    assert ModelBusyError is type(final)
    assert "busy (after 3 tries; it asks to be left alone for 301 s)" == str(final)
    assert ("Wait.", 300.2) == (final.hint, final.retry_after)


def test_last_error_of_one_try_is_the_error() -> None:
    """Nothing is added where nothing is to be said."""
    assert DOWN is final_error(DOWN, 1)
    assert "no (after 2 tries)" == str(final_error(ModelAccessError("no"), 2))
    endless = ModelBusyError("busy", retry_after=math.inf)
    assert "busy (it asks to be left alone for ever)" == str(final_error(endless, 1))
