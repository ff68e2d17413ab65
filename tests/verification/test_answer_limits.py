"""Limits of answers: which answers count, and whom a fitted limit is for."""

from dataclasses import replace

import pytest

from research_agent.verification.calibration.answer_limits import (
    MAX_ENTROPY,
    MIN_ANSWERABLE,
    Answered,
    as_setting,
    digest_mismatch,
    fit_limits,
)

RIGHT = Answered(given=True, wrong=False, left_out=False, answerable=0.8, mean_entropy=0.2)
WRONG = Answered(given=True, wrong=True, left_out=True, answerable=0.6, mean_entropy=0.7)
REFUSED = Answered(given=False, wrong=True, left_out=True, answerable=0.9, mean_entropy=0.1)


def fit(*asked: Answered) -> dict[str, tuple[float, int, int, int]]:
    found = fit_limits(asked, rate=0.2, writers="m", settings="s")
    return {name: (one.value, one.answered, one.wrong, one.drafts) for name, one in found.items()}


def test_both_doubts_have_a_limit() -> None:
    """A probability at least as large, an entropy at most as large."""
    expected = {MIN_ANSWERABLE: (0.8, 9, 0, 18), MAX_ENTROPY: (0.2, 9, 0, 18)}

    assert expected == fit(*[RIGHT] * 9, *[WRONG] * 9)


def test_refusals_are_neither_right_nor_wrong() -> None:
    """However sure a model was of what it did not give."""
    assert fit(*[RIGHT] * 9) == fit(*[RIGHT] * 9, *[REFUSED] * 9)


def test_what_was_not_measured_is_not_fitted() -> None:
    """Without log-probabilities there is no entropy; without a check no probability."""
    silent, unchecked = replace(RIGHT, mean_entropy=None), replace(RIGHT, answerable=None)

    assert [MIN_ANSWERABLE] == list(fit(*[silent] * 9))
    assert [MAX_ENTROPY] == list(fit(*[unchecked] * 9))
    assert {} == fit(*[WRONG] * 9) == fit()


@pytest.mark.parametrize("probability", [0.0, 0.512345678, 1 / 3, 0.7, 1.0])
def test_an_answer_passes_the_limit_that_it_made(probability: float) -> None:
    """Rounding goes to the side of passing, and stays in the range of the setting."""
    value = as_setting(MIN_ANSWERABLE, 1.0 - probability)

    assert 0.0 <= value <= probability + 1e-9
    assert probability - value < 2e-4


def test_a_limit_is_for_its_models_and_settings() -> None:
    """Where the models are not known they are not compared."""
    limit = fit_limits([RIGHT] * 9, rate=0.2, writers="m", settings="s")[MIN_ANSWERABLE]

    assert "" == digest_mismatch(limit, writers="", settings="s")
    assert "written by m" in digest_mismatch(limit, writers="n", settings="s")
    assert "settings" in digest_mismatch(limit, writers="m", settings="t")


def test_of_all_that_was_asked_refusals_count_too() -> None:
    """Four wrong answers are a share of .2 of those asked where enough was refused or right."""
    asked = [*[RIGHT] * 6, *[WRONG] * 4]

    assert [6, 6] == [answered for _, answered, _, _ in fit(*asked).values()]
    found = [
        fit_limits([*asked, *[REFUSED] * more], rate=0.2, writers="m", settings="s", of="asked")
        for more in (0, 14)
    ]
    assert [0.8, 0.6] == [limits[MIN_ANSWERABLE].value for limits in found]
    assert {"asked"} == {one.of for limits in found for one in limits.values()}
