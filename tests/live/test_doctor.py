"""`research-agent doctor` with the embedded model."""

import pytest

from tests.interfaces.doctor_page import healthy, indented, live_part, masked
from tests.needed import needed_weights

pytestmark = pytest.mark.live


def test_page_shows_the_healthy_set_up() -> None:
    """With the model that the page was made with, it says the same, but for numbers."""
    needed_weights("1.5b")
    output = "\n".join(line for line in live_part().splitlines() if line.startswith("    "))

    assert masked(output) == masked(indented(healthy()))
