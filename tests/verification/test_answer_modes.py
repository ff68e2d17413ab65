"""Which mode is chosen, from answers whose worth is known."""

import pytest

from research_agent.verification.calibration.answer_modes import MODES, Tried, choose_mode

RIGHT, WRONG = Tried(given=True, right=True), Tried(given=True, right=False)
REFUSED = Tried(given=False, right=False)


def rows(*each: tuple[Tried, Tried, Tried]) -> list[dict[str, Tried]]:
    """Return one row a question, with what became of it in each mode."""
    return [dict(zip(MODES, row, strict=True)) for row in each]


def test_the_most_right_answers_win() -> None:
    """However many others are wrong or refused; the counts are kept."""
    asked = rows(*[(RIGHT, RIGHT, WRONG)] * 11, (REFUSED, RIGHT, RIGHT))
    chosen = choose_mode(asked, writers="m", settings="s")

    assert ("select_then_write", 12, "") == (chosen.value, chosen.questions, chosen.reason)
    assert [(11, 11), (12, 12), (1, 12)] == [
        (chosen.counts[mode].right, chosen.counts[mode].given) for mode in MODES
    ]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (rows(*[(RIGHT, RIGHT, WRONG)] * 20), "abstractive and select_then_write are level"),
        (rows(*[(WRONG, WRONG, RIGHT)] * 11), "11 questions are too few"),
        ([], "0 questions are too few"),
        ([{"extractive": RIGHT}] * 30, "0 questions are too few"),
    ],
)
def test_without_a_clear_winner_the_rule_stays(asked: list[dict[str, Tried]], reason: str) -> None:
    """Level modes, few questions, and questions that were not asked in every mode."""
    chosen = choose_mode(asked, writers="m", settings="s")

    assert "auto" == chosen.value
    assert chosen.reason.startswith(reason)
