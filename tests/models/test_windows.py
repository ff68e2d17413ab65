"""The rule that cuts a text into windows: everything is covered, nothing is too long."""

from itertools import pairwise

import pytest

from research_agent.models.windows import window_spans


@pytest.mark.parametrize(("size", "overlap"), [(200, 40), (10, 9), (3, 1), (2, 5), (1, 1)])
def test_windows_cover_everything_and_overlap(size: int, overlap: int) -> None:
    """Every token is in a window, none is too long, neighbours share what they should."""
    for length in range(1, 700):
        spans = window_spans(length, size=size, overlap=overlap)
        assert (0, length) == (spans[0][0], spans[-1][1])
        assert size >= max(end - start for start, end in spans)
        shared = [first[1] - second[0] for first, second in pairwise(spans)]
        assert all(tokens >= min(overlap, size // 2) for tokens in shared)


def test_windows_are_equally_long() -> None:
    """One token too many gives two halves, not a window and a rest."""
    assert [128, 128] == [b - a for a, b in window_spans(201, size=200, overlap=55)]
