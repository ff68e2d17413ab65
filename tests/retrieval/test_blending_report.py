"""Lines about blending, their footer, and sums over files."""

import json

import pytest

from research_agent.retrieval.reorder.blending_report import (
    histogram,
    query_row,
    read,
    summary,
    written,
)
from research_agent.types import Chunk, Hit
from research_agent.types.blending import BlendRule, blend

HITS = [Hit(Chunk("a", "d", ""), 0.9), Hit(Chunk("b", "d", ""), 0.5)]


def row(**second: float) -> dict[str, object]:
    return query_row("q", blend(HITS, second, BlendRule(alpha=0.2, top_k=2, pool=2)).diagnostics)


def test_a_line_tells_everything_about_a_query() -> None:
    """It is JSON, and reads back as it was."""
    line = row(a=1.0, b=2.0)

    assert {
        "query": "q",
        "alpha": 0.2,
        "mode": "rank",
        "pool": 2,
        "known": 2,
        "first": "",
        "second": "",
        "spearman": -1.0,
        "changed": 2,
        "before": ("a", "b"),
        "after": ("b", "a"),
    } == line
    assert [json.loads(json.dumps(line))] == read(json.dumps(line))


def test_footer_sums_up() -> None:
    """Changed queries, places, channels switched off, queries without any code."""
    rows = [row(a=1.0, b=2.0), row(a=1.0, b=1.0), row()]
    told = read(written(rows))

    assert 4 == len(told)
    assert {
        "summary": True,
        "queries": 3,
        "changed_queries": 1,
        "changed_share": pytest.approx(1 / 3),
        "first_off": 0,
        "second_off": 2,
        "unknown": 1,
        "spearman_queries": 1,
        "spearman_mean": -1.0,
        "spearman_min": -1.0,
        "spearman_max": -1.0,
    } == told[-1]


def test_footer_is_not_counted() -> None:
    """Summing up a file that has one gives the same sums."""
    rows = [row(a=1.0, b=2.0), row()]

    assert summary(rows) == summary(read(written(rows)))


def test_no_queries() -> None:
    """No division by zero, no figure out of nothing."""
    told = summary([])

    assert (0, 0.0, None) == (told.queries, told.changed_share, told.spearman_mean)


def test_broken_lines_are_left_out() -> None:
    """A run that was killed leaves half a line."""
    assert [{"query": "q"}] == read('[1]\n{"query": "q"}\n\n{"que')


def test_histogram_covers_minus_one_to_one() -> None:
    """Both ends belong to a bar."""
    assert [2, 0, 1, 1] == [count for *_, count in histogram([-1.0, -0.9, 0.0, 1.0], 4)]
    assert (-1.0, 1.0) == (histogram([], 4)[0][0], histogram([], 4)[-1][1])
