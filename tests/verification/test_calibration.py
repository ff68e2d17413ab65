"""Fitted thresholds: their bounds hold, and what they are for is compared."""

from dataclasses import replace
from math import comb

import pytest

from research_agent.verification.calibration.fitted import (
    NEVER,
    Fingerprint,
    Observation,
    error_bound,
    fit_threshold,
    least_questions,
    sample,
    staleness,
)

FINGERPRINT = Fingerprint(model="m", generation=3, changed="2026-11-01", settings="s")


def seen(confidence: float, right: int, wrong: int = 0) -> list[Observation]:
    rights = [Observation(confidence, right=True)] * right
    return [*rights, *[Observation(confidence, right=False)] * wrong]


@pytest.mark.parametrize(("errors", "questions"), [(0, 10), (1, 30), (7, 60), (59, 60)])
def test_bound_is_the_rate_at_which_so_few_errors_are_as_unlikely_as_doubted(
    errors: int, questions: int
) -> None:
    """Clopper and Pearson's definition, computed with whole numbers."""
    rate = error_bound(errors, questions, 0.05)
    chance = sum(
        comb(questions, k) * rate**k * (1 - rate) ** (questions - k) for k in range(errors + 1)
    )

    assert 0.05 == pytest.approx(chance, abs=1e-9)


def test_bound_of_nothing_or_of_errors_alone_is_one() -> None:
    """What was never right, or never asked, may always be wrong."""
    assert (1.0, 1.0) == (error_bound(0, 0), error_bound(5, 5))


def test_smallest_threshold_above_the_errors_is_taken() -> None:
    """Errors below it do not matter; those above it count against it."""
    asked = [*seen(0.9, 60), *seen(0.5, 60), *seen(0.2, 20, wrong=30)]

    fitted = fit_threshold(asked, rate=0.1)

    assert (0.25, 120, 0, 170) == (fitted.value, fitted.passed, fitted.errors, fitted.questions)
    assert fitted.bound < 0.1


def test_few_questions_prove_nothing() -> None:
    """One question fewer than it takes, all of them right, and no threshold holds."""
    enough = least_questions(0.1)

    assert fit_threshold(seen(0.9, enough), rate=0.1).holds
    assert NEVER == fit_threshold(seen(0.9, enough - 1), rate=0.1).value


@pytest.mark.parametrize("asked", [[], seen(0.0, 0, wrong=200), seen(1.0, 0, wrong=200)])
def test_no_threshold_where_nothing_is_right(asked: list[Observation]) -> None:
    """It says how many were asked, and that none reaches it."""
    fitted = fit_threshold(asked, [0.4], rate=0.5)

    assert (NEVER, 0, len(asked), 1, 0) == (
        fitted.value,
        fitted.passed,
        fitted.questions,
        fitted.left_out,
        fitted.left_out_passed,
    )


def test_questions_without_their_answer_are_counted_and_decide_nothing() -> None:
    """No refined query finds what is not there, so not refining them is no error."""
    asked = seen(0.6, 100)

    with_them, without = fit_threshold(asked, [0.9] * 50, rate=0.1), fit_threshold(asked, rate=0.1)

    assert (with_them.value, 50, 50) == (
        without.value,
        with_them.left_out,
        with_them.left_out_passed,
    )


def test_what_has_changed_decides_whether_thresholds_are_used() -> None:
    """Other documents: still; another model or other settings: no more."""
    assert (True, "") == staleness(FINGERPRINT, FINGERPRINT)
    for change in ({"generation": 4}, {"changed": "2026-11-02"}):
        assert (True, "the index has changed") == staleness(
            FINGERPRINT,
            replace(FINGERPRINT, **change),
        )
    assert (False, "the embedding model was m") == staleness(
        FINGERPRINT, replace(FINGERPRINT, model="n")
    )
    assert not staleness(FINGERPRINT, replace(FINGERPRINT, settings="t"))[0]


def test_sample_hardly_changes_with_the_documents() -> None:
    """It depends on no order, and a further chunk takes at most one place."""
    names = [f"chunk {number}" for number in range(50)]

    assert sample(names, 10) == sample(names[::-1], 10)
    assert len({*sample(names, 10)} & {*sample([*names, "new"], 10)}) >= 9
    assert 50 == len(sample(names, 99))
