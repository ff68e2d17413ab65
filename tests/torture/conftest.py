"""The whole torture runs where it is asked for (`-m torture`); its quick part always."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes hours; what takes long comes first, so that no worker waits for it."""
    if "torture" in config.getoption("-m"):
        return
    torture = [item for item in items if item.get_closest_marker("torture")]
    whole = [item for item in torture if not item.get_closest_marker("quick")]
    config.hook.pytest_deselected(items=whole)
    quick = [item for item in torture if item not in whole]
    items[:] = [*quick, *(item for item in items if item not in torture)]
