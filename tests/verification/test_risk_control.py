"""The limit of a doubt: the largest one at which few enough answers are wrong."""

from random import Random

import pytest

from research_agent.verification.calibration.risk_control import (
    Judged,
    Point,
    curve,
    least_answers,
    risk_limit,
    rounded_up,
    shown,
)


def drafts(*groups: tuple[float, int, int]) -> list[Judged]:
    """Return answers of some doubts: so many right ones and so many wrong ones of each."""
    return [
        Judged(doubt, wrong)
        for doubt, right, bad in groups
        for wrong in [False] * right + [True] * bad
    ]


def test_answers_with_the_same_doubt_are_given_together() -> None:
    """A limit cannot part them, in whatever order they come."""
    judged = drafts((0.5, 1, 1), (0.2, 3, 0), (0.5, 1, 0))

    assert (Point(0.2, 3, 0), Point(0.5, 6, 1)) == curve(judged)
    assert curve(judged) == curve(judged[::-1])


def test_without_answers_there_is_no_limit() -> None:
    """Nor an error."""
    assert ((), None, 0.0) == (curve([]), risk_limit([], 0.2), Point(0.1, 0, 0).error)


@pytest.mark.parametrize(
    ("right", "wrong", "holds"), [(3, 0, False), (4, 0, True), (8, 1, True), (7, 1, False)]
)
def test_one_more_wrong_answer_has_to_fit(right: int, wrong: int, *, holds: bool) -> None:
    """(wrong + 1) / (answered + 1) <= 0.2."""
    assert holds == (risk_limit(drafts((0.3, right, wrong)), 0.2) is not None)


def test_the_largest_limit_counts() -> None:
    """A bad stretch before it is outweighed by what comes after."""
    judged = drafts((0.1, 4, 0), (0.2, 0, 2), (0.3, 20, 0), (0.9, 0, 30))

    assert Point(0.3, 26, 2) == risk_limit(judged, 0.2)


def test_a_few_right_answers_in_a_row_are_no_order() -> None:
    """A limit has to let a fifth of the answers pass."""
    assert risk_limit(drafts((0.1, 4, 0), (0.5, 0, 17)), 0.2) is None
    assert Point(0.1, 4, 0) == risk_limit(drafts((0.1, 4, 0), (0.5, 0, 16)), 0.2)


def test_smaller_rates_never_have_larger_limits() -> None:
    """A hundred answers whose doubt says something."""
    dice = Random(7)  # noqa: S311 (a sample for a test)
    doubts = [dice.random() for _ in range(100)]
    judged = [Judged(doubt, dice.random() < doubt) for doubt in doubts]
    limits = [risk_limit(judged, rate / 100) for rate in (5, 10, 20, 40, 60)]
    answered = [limit.answered if limit else 0 for limit in limits]

    assert sorted(answered) == answered
    assert answered[0] < answered[-1]


def test_the_rate_is_kept_on_other_answers() -> None:
    """Half of the answers fit the limit, the others keep to the rate within a point and a half."""
    dice = Random(3)  # noqa: S311 (a sample for a test)
    errors: list[float] = []
    for _ in range(300):
        doubts = [dice.random() for _ in range(400)]
        judged = [Judged(doubt, dice.random() < doubt) for doubt in doubts]
        limit = risk_limit(judged[:200], 0.2)
        given = [one for one in judged[200:] if limit and one.doubt <= limit.limit]
        errors += [sum(one.wrong for one in given) / len(given)] if given else []

    assert 0.2 == pytest.approx(sum(errors) / len(errors), abs=0.015)
    assert len(errors) > 280


def test_wrong_answers_to_few_of_all_questions() -> None:
    """Kept within a point even by a doubt that says nothing: it stops where it has to."""
    dice = Random(9)  # noqa: S311 (a sample for a test)
    errors: list[float] = []
    for _ in range(400):
        judged = [Judged(dice.random(), dice.random() < 0.6) for _ in range(100)]
        limit = risk_limit(judged[:50], 0.2, of="asked")
        given = [one for one in judged[50:] if limit and one.doubt <= limit.limit]
        errors.append(sum(one.wrong for one in given) / 50)

    mean = sum(errors) / len(errors)
    assert 0.17 < mean <= 0.21


@pytest.mark.parametrize(
    ("right", "wrong", "expected"), [(4, 0, True), (3, 0, False), (0, 1, False), (9, 1, True)]
)
def test_one_more_wrong_answer_of_all_has_to_fit(right: int, wrong: int, *, expected: bool) -> None:
    """(wrong + 1) / (seen + 1) <= 0.2, however few answers are given."""
    found = risk_limit(drafts((0.3, right, wrong)), 0.2, of="asked")

    assert expected == (found is not None)
    assert risk_limit([], 0.2, of="asked") is None


@pytest.mark.parametrize(("rate", "least"), [(0.5, 1), (0.2, 4), (0.1, 9), (0.01, 99)])
def test_least_answers_are_just_enough(rate: float, least: int) -> None:
    """With one less no limit is found, however right they are."""
    assert least == least_answers(rate)
    assert risk_limit(drafts((0.1, least, 0)), rate)
    assert risk_limit(drafts((0.1, least - 1, 0)), rate) is None


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.30000000000000004, 0.65437, 1 / 3, 2.0])
def test_a_rounded_limit_lets_pass_what_it_was_made_from(limit: float) -> None:
    """It is not smaller, and by less than a ten-thousandth larger."""
    assert limit <= rounded_up(limit) + 1e-9
    assert rounded_up(limit) - limit < 1e-4


def test_shown_points_end_with_the_last() -> None:
    """Few points are shown as they are, none as none."""
    points = [Point(i / 100, i, 0) for i in range(1, 101)]

    assert [25, 50, 75, 100] == [point.answered for point in shown(points, 4)]
    assert tuple(points[:2]) == shown(points[:2], 8)
    assert () == shown([], 8)
