"""The examples in the benchmarks' docstrings are right."""

import doctest
from types import ModuleType

import pytest

from benchmarks import datasets, intervals, metrics, misses, rankings, reorders, summary, tables


@pytest.mark.parametrize(
    "module",
    [datasets, intervals, metrics, misses, rankings, reorders, summary, tables],
    ids=lambda module: module.__name__,
)
def test_examples(module: ModuleType) -> None:
    """Every example gives what it says, and each of these modules has one."""
    result = doctest.testmod(module)

    assert 0 == result.failed
    assert result.attempted
