"""What a scope admits."""

import pytest

from research_agent.core.scope import EVERYTHING, Scope
from research_agent.core.types import Chunk

CHUNK = Chunk(
    "id", "FIPS.203", "text", kind="table", date="2024-08-13", source="/docs/nist/FIPS.203.pdf"
)


@pytest.mark.parametrize(
    ("scope", "admitted"),
    [
        (EVERYTHING, True),
        (Scope(documents=("fips.203",)), True),
        (Scope(documents=("other", "fips*")), True),
        (Scope(documents=("fips",)), False),
        (Scope(folders=("/docs",)), True),
        (Scope(folders=("/doc",)), False),
        (Scope(kinds=("table", "code")), True),
        (Scope(kinds=("code",)), False),
        (Scope(since="2024"), True),
        (Scope(since="2024-08-13", until="2024-08-13"), True),
        (Scope(since="2024-09"), False),
        (Scope(until="2024-07"), False),
        (Scope(exclude=frozenset({"id"})), False),
        (Scope(documents=("fips*",), kinds=("code",)), False),
    ],
)
def test_scope(scope: Scope, admitted: bool) -> None:  # noqa: FBT001 (a parameter)
    """Every condition that is given must hold; of one with several values, any."""
    assert admitted == scope.admits(CHUNK)


def test_dates_known_in_part() -> None:
    """A year alone is in each of its months; without a date nothing is known."""
    year, undated = Chunk("a", "d", "", date="2024"), Chunk("b", "d", "")

    assert Scope(since="2024-09").admits(year)
    assert not Scope(since="2025").admits(year)
    assert not Scope(until="2030").admits(undated)
