"""Fitted limits: their bounds hold, and what they are for is compared."""

from dataclasses import replace
from math import comb

import pytest

from research_agent.verification.calibration import (
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
    rate = error_bound(errors, questions, 0.05)
    chance = sum(
        comb(questions, k) * rate**k * (1 - rate) ** (questions - k) for k in range(errors + 1)
    )

    assert 0.05 == pytest.approx(chance, abs=1e-9)
    assert (1.0, 1.0) == (error_bound(0, 0), error_bound(5, 5))  # (nothing was ever right)


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        (seen(0.9, least_questions(0.1)), True),
        (seen(0.9, least_questions(0.1) - 1), False),
        ([], False),
        (seen(1.0, 0, wrong=200), False),
    ],
)
def test_where_no_threshold_keeps_the_rate(asked: list[Observation], *, holds: bool) -> None:
    fitted = fit_threshold(asked, rate=0.1)

    assert (holds, not holds) == (fitted.holds, fitted.value == NEVER)
    assert (len(asked), len(asked) * holds) == (fitted.questions, fitted.passed)


@pytest.mark.parametrize(
    ("now", "usable", "reason"),
    [
        ({}, True, ""),
        ({"generation": 4}, True, "the index has changed"),
        ({"changed": "2026-11-02"}, True, "the index has changed"),
        ({"model": "n"}, False, "the embedding model was m"),
        ({"settings": "t"}, False, "the settings of retrieval or confidence are others"),
    ],
)
def test_what_has_changed_decides_whether_thresholds_are_used(
    now: dict[str, str | int], reason: str, *, usable: bool
) -> None:
    assert (usable, reason) == staleness(FINGERPRINT, replace(FINGERPRINT, **now))  # type: ignore[arg-type]  # (by name)


def test_sample_hardly_changes_with_the_documents() -> None:
    names = [f"chunk {number}" for number in range(50)]

    assert sample(names, 10) == sample(names[::-1], 10)
    assert len({*sample(names, 10)} & {*sample([*names, "new"], 10)}) >= 9
    assert 50 == len(sample(names, 99))
