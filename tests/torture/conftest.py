"""The whole torture runs where it is asked for (`-m torture`); its quick part always."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes hours."""
    if "torture" in config.getoption("-m"):
        return
    whole = [
        i for i in items if i.get_closest_marker("torture") and not i.get_closest_marker("quick")
    ]
    config.hook.pytest_deselected(items=whole)
    items[:] = [item for item in items if item not in whole]
