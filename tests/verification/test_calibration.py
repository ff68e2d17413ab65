"""Fitted limits: their bounds hold, and what they are for is compared."""

from dataclasses import replace
from math import comb
from random import Random

import pytest

from research_agent.verification.calibration import (
    MAX_ENTROPY,
    MIN_ANSWERABLE,
    NEVER,
    Answered,
    Fingerprint,
    Judged,
    Observation,
    Point,
    as_setting,
    curve,
    digest_mismatch,
    error_bound,
    fit_limits,
    fit_threshold,
    least_answers,
    least_questions,
    risk_limit,
    sample,
    staleness,
)

FINGERPRINT = Fingerprint(model="m", generation=3, changed="2026-11-01", settings="s")
RIGHT = Answered(given=True, wrong=False, answerable=0.8, mean_entropy=0.2)
WRONG = Answered(given=True, wrong=True, answerable=0.6, mean_entropy=0.7)
REFUSED = Answered(given=False, wrong=True, answerable=0.9, mean_entropy=0.1)


def seen(confidence: float, right: int, wrong: int = 0) -> list[Observation]:
    rights = [Observation(confidence, right=True)] * right
    return [*rights, *[Observation(confidence, right=False)] * wrong]


def drafts(*groups: tuple[float, int, int]) -> list[Judged]:
    """Return answers of some doubts: right ones and wrong ones of each."""
    return [
        Judged(doubt, wrong)
        for doubt, right, bad in groups
        for wrong in [False] * right + [True] * bad
    ]


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


def test_answers_with_the_same_doubt_are_given_together() -> None:
    judged = drafts((0.5, 1, 1), (0.2, 3, 0), (0.5, 1, 0))

    assert (Point(0.2, 3, 0), Point(0.5, 6, 1)) == curve(judged) == curve(judged[::-1])
    assert ((), None) == (curve([]), risk_limit([], 0.2))


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (drafts((0.3, 3, 0)), None),
        (drafts((0.3, 4, 0)), Point(0.3, 4, 0)),
        (drafts((0.3, 7, 1)), None),
        (drafts((0.3, 8, 1)), Point(0.3, 9, 1)),
        # a bad stretch is outweighed by what comes after
        (drafts((0.1, 4, 0), (0.2, 0, 2), (0.3, 20, 0), (0.9, 0, 30)), Point(0.3, 26, 2)),
        # a limit has to let a fifth of the answers pass
        (drafts((0.1, 4, 0), (0.5, 0, 17)), None),
        (drafts((0.1, 4, 0), (0.5, 0, 16)), Point(0.1, 4, 0)),
    ],
)
def test_the_largest_limit_that_keeps_the_rate(
    judged: list[Judged], expected: Point | None
) -> None:
    """(wrong + 1) / (answered + 1) <= 0.2."""
    assert expected == risk_limit(judged, 0.2)


@pytest.mark.parametrize(("rate", "least"), [(0.5, 1), (0.2, 4), (0.1, 9), (0.01, 99)])
def test_least_answers_are_just_enough(rate: float, least: int) -> None:
    assert least == least_answers(rate)
    assert risk_limit(drafts((0.1, least, 0)), rate)
    assert risk_limit(drafts((0.1, least - 1, 0)), rate) is None


def test_the_rate_is_kept_on_other_answers() -> None:
    """Half of the answers fit the limit, the others keep to the rate within a point and a half."""
    dice = Random(3)  # noqa: S311 (a sample for a test)
    errors: list[float] = []
    for _ in range(300):
        doubts = [dice.random() for _ in range(400)]
        judged = [Judged(doubt, dice.random() < doubt) for doubt in doubts]
        limits = [risk_limit(judged[:200], rate) for rate in (0.1, 0.2, 0.4)]
        given = [one for one in judged[200:] if limits[1] and one.doubt <= limits[1].limit]
        errors += [sum(one.wrong for one in given) / len(given)] if given else []
        answered = [limit.answered if limit else 0 for limit in limits]
        assert sorted(answered) == answered  # (a smaller rate never has a larger limit)

    assert 0.2 == pytest.approx(sum(errors) / len(errors), abs=0.015)
    assert len(errors) > 280


def fit(*asked: Answered) -> dict[str, tuple[float, int, int, int]]:
    found = fit_limits(asked, rate=0.2, writers="m", settings="s")
    return {name: (one.value, one.answered, one.wrong, one.drafts) for name, one in found.items()}


def test_both_doubts_have_a_limit() -> None:
    """A probability at least, an entropy at most as large; refusals are neither right nor wrong."""
    expected = {MIN_ANSWERABLE: (0.8, 9, 0, 18), MAX_ENTROPY: (0.2, 9, 0, 18)}
    silent, unchecked = replace(RIGHT, mean_entropy=None), replace(RIGHT, answerable=None)

    assert (
        expected
        == fit(*[RIGHT] * 9, *[WRONG] * 9)
        == fit(*[RIGHT] * 9, *[WRONG] * 9, *[REFUSED] * 9)
    )
    assert [[MIN_ANSWERABLE], [MAX_ENTROPY]] == [list(fit(*[x] * 9)) for x in (silent, unchecked)]
    assert {} == fit(*[WRONG] * 9) == fit()


@pytest.mark.parametrize("value", [0.0, 0.30000000000000004, 0.512345678, 1 / 3, 0.7, 1.0])
def test_an_answer_passes_the_limit_that_it_made(value: float) -> None:
    """Rounding goes to the side of passing, by less than two ten-thousandths."""
    probability, entropy = as_setting(MIN_ANSWERABLE, 1.0 - value), as_setting(MAX_ENTROPY, value)

    assert value - 2e-4 < probability <= value + 1e-9
    assert value - 1e-9 <= entropy < value + 2e-4


def test_a_limit_is_for_its_models_and_settings() -> None:
    """Where the models are not known they are not compared."""
    limit = fit_limits([RIGHT] * 9, rate=0.2, writers="m", settings="s")[MIN_ANSWERABLE]

    assert "" == digest_mismatch(limit, writers="", settings="s")
    assert "written by m" in digest_mismatch(limit, writers="n", settings="s")
    assert "settings" in digest_mismatch(limit, writers="m", settings="t")


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
    """Other documents: still; another model or other settings: no more."""
    assert (usable, reason) == staleness(FINGERPRINT, replace(FINGERPRINT, **now))  # type: ignore[arg-type]  # (by name)


def test_sample_hardly_changes_with_the_documents() -> None:
    """It depends on no order, and a further chunk takes at most one place."""
    names = [f"chunk {number}" for number in range(50)]

    assert sample(names, 10) == sample(names[::-1], 10)
    assert len({*sample(names, 10)} & {*sample([*names, "new"], 10)}) >= 9
    assert 50 == len(sample(names, 99))
