"""Keys that no test can do harm with."""

import pytest

from tests.aws import made_up_credentials


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up_credentials(monkeypatch)
