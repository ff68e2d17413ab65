"""The examples in the benchmarks' docstrings are right."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import benchmarks

ROOT = Path(benchmarks.__file__).parent
FOREIGN = ("peers.with_langchain", "peers.with_paperqa")
"""Their packages are in environments of their own."""
MODULES = sorted(
    name
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
    and (name := ".".join(path.relative_to(ROOT).with_suffix("").parts)) not in FOREIGN
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example gives what it says."""
    result = doctest.testmod(import_module(f"benchmarks.{name}"))
    assert 0 == result.failed
    assert result.attempted
