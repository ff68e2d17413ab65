"""The measure of passages in the place of drafts that turn their question around."""

from benchmarks.circles import Circle, is_half_old, table


def test_each_rule_has_a_row() -> None:
    """The second counts what the product's rule replaces; costs are means."""
    one = Circle(qid="a", by_rule=False, draft="right", passages="wrong", calls=13, seconds=14.0)
    two = Circle(qid="b", by_rule=True, draft="wrong", passages="right", calls=11, seconds=10.0)
    rows = table([one, two]).splitlines()[2:]

    assert [
        "| less than half is new | 2 | 1 | 1 | 12.0 | 12 |",
        "| the rule | 1 | 0 | 1 | 11.0 | 10 |",
    ] == rows


def test_markers_are_no_words() -> None:
    """Half of the words of an answer, without its keys."""
    assert is_half_old("Which peak is higher, A or B?", "Manaslu is the higher peak [c1][c2].")
    assert not is_half_old("Which peak is higher?", "")
