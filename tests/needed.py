"""What a test needs and this machine may lack: skipped with one line, but failed on CI."""

import os
from importlib.util import find_spec
from typing import NoReturn

import pytest

from research_agent.models.adapters.weights import (
    WEIGHT_SETS,
    WeightStatus,
    cache_directory,
    status,
)


def missing(message: str, *, whole_file: bool = False) -> NoReturn:
    """Skip the test, or its whole file; fail it on CI."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message, allow_module_level=whole_file)


def needed_package(name: str, extra: str = "local") -> None:
    """Go on only where a package is installed."""
    if find_spec(name) is None:
        missing(f"{name} is not installed (extra {extra})")


def needed_weights(*names: str) -> WeightStatus:
    """Return the first of these sets of weights that is here."""
    needed_package("xllamacpp")
    cache = cache_directory(os.environ)
    here = [status(WEIGHT_SETS[name], cache) for name in names]
    found = next((one for one in here if one.joined or one.installed), None)
    return found or missing("no weights are installed (extra local or local-small)")
