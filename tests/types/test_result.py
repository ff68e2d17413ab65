"""Sentences as a result prints them."""

import pytest

from research_agent.types.claims import Claim
from research_agent.types.result import with_markers


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("It rains.", "It rains [c1]."),
        ("It rains", "It rains [c1]."),
        ("यह है।", "यह है [c1]।"),
        ("ما هذا؟", "ما هذا [c1]؟"),
    ],
)
def test_keys_stand_before_the_stop_of_any_script(text: str, printed: str) -> None:
    assert printed == with_markers(Claim(text, ("c1",), verdict="supported"))
