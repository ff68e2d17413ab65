"""The examples in the benchmarks' docstrings are right."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "answer_arms",
    "answer_peers",
    "answers_scoring",
    "answers_table",
    "datasets",
    "drafts",
    "engines.measuring",
    "exact_bm25",
    "gold_removed",
    "intervals",
    "lexical",
    "lexical_table",
    "metrics",
    "misses",
    "mixed_chunks",
    "mixed_vectors",
    "peers.answering",
    "peers.counting",
    "rankings",
    "refusal_curve",
    "refusals_asking",
    "refusals_scoring",
    "reorders",
    "scale_table",
    "summary",
    "tables",
    "uncertainty_metrics",
    "word_rows",
    "word_ways",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example gives what it says, and each of these modules has one."""
    result = doctest.testmod(import_module(f"benchmarks.{name}"))

    assert 0 == result.failed
    assert result.attempted
