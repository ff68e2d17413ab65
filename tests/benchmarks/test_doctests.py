"""The examples in the benchmarks' docstrings are right."""

import doctest
from types import ModuleType

import pytest

from benchmarks import (
    alterations,
    claims_sets,
    claims_table,
    datasets,
    intervals,
    metrics,
    misses,
    rankings,
    reorders,
    summary,
    tables,
)

MODULES = [
    alterations,
    claims_sets,
    claims_table,
    datasets,
    intervals,
    metrics,
    misses,
    rankings,
    reorders,
    summary,
    tables,
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
