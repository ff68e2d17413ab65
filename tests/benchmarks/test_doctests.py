"""The examples in the benchmarks' docstrings are right."""

import doctest
from types import ModuleType

import pytest

from benchmarks import (
    alterations,
    answer_arms,
    answer_peers,
    answers_scoring,
    answers_table,
    claims_sets,
    claims_table,
    datasets,
    gold_removed,
    intervals,
    metrics,
    misses,
    rankings,
    refusal_curve,
    reorders,
    summary,
    tables,
    uncertainty,
    uncertainty_metrics,
)
from benchmarks.peers import answering, counting

MODULES = [
    alterations,
    answer_arms,
    answer_peers,
    answering,
    answers_scoring,
    answers_table,
    claims_sets,
    claims_table,
    counting,
    datasets,
    gold_removed,
    intervals,
    metrics,
    misses,
    rankings,
    refusal_curve,
    reorders,
    summary,
    tables,
    uncertainty,
    uncertainty_metrics,
]


@pytest.mark.parametrize(
    "module",
    MODULES,
    ids=lambda module: module.__name__,
)
def test_examples(module: ModuleType) -> None:
    """Every example gives what it says, and each of these modules has one."""
    result = doctest.testmod(module)

    assert 0 == result.failed
    assert result.attempted
