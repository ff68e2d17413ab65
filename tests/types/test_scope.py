"""What a scope admits, and which documents a file filter names."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from research_agent.errors import ToolInputError
from research_agent.types import Chunk
from research_agent.types.records import DocumentOutline
from research_agent.types.scope import (
    EVERYTHING,
    UNDATED,
    Scope,
    check_scope,
    filtered_documents,
    undated_warnings,
)

PDF = "/docs/nist/FIPS.203.pdf"
CHUNK = Chunk("id", "FIPS.203", "text", kind="table", date="2024-08-13", source=PDF)


@pytest.mark.parametrize(
    ("scope", "admitted"),
    [
        (EVERYTHING, True),
        (Scope(documents=("fips.203",)), True),
        (Scope(documents=("other", "fips*")), True),
        (Scope(documents=("fips",)), False),
        (Scope(documents=("nist/*.pdf",)), True),
        (Scope(documents=("docs/*.pdf",)), False),
        (Scope(documents=("/docs/nist/*",)), True),
        (Scope(documents=("[", "")), False),
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
def test_scope(scope: Scope, *, admitted: bool) -> None:
    """Every condition that is given must hold; of one with several values, any."""
    assert admitted == scope.admits(CHUNK)


def test_scope_of_other_types() -> None:
    """One name, a path and a date do without a collection and without text; None is nothing."""
    given: dict[str, Any] = {"documents": "fips*", "folders": Path("/docs"), "kinds": ["table"]}

    scope = Scope(**given, since=date(2024, 8, 13), until=2024)  # type: ignore[arg-type]

    kept = Scope(documents=("fips*",), folders=("/docs",), kinds=("table",), since="2024-08-13")
    assert scope == replace(kept, until="2024")
    assert Scope(documents=None, since=None) == EVERYTHING  # type: ignore[arg-type]


def test_dates_known_in_part() -> None:
    """A year alone is in each of its months; without a date nothing is known."""
    year, undated = Chunk("a", "d", "", date="2024"), Chunk("b", "d", "")

    assert Scope(since="2024-09").admits(year)
    assert not Scope(since="2025").admits(year)
    assert not Scope(until="2030").admits(undated)


LISTED = [
    DocumentOutline("FIPS.203", "/docs/nist/FIPS.203.pdf", date="2024-08-13"),
    DocumentOutline("notes [draft]", "/docs/notes [draft].md"),
]


@pytest.mark.parametrize(
    "scope",
    [
        EVERYTHING,
        Scope(documents=("notes [draft]", "fips*")),
        Scope(folders=("/docs/nist",), since="2024", until="2024"),
        Scope(exclude=frozenset({"gone"}), kinds=("code",)),
    ],
)
def test_scope_with_documents(scope: Scope) -> None:
    """Names with brackets are names; what limits no documents is not looked at."""
    check_scope(scope, lambda: LISTED)


@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        (Scope(documents=("fips-203",)), "no document fits 'fips-203'", "nearest: 'FIPS.203'"),
        (Scope(documents=("fips*", "x")), "no document fits 'x'", "Leave it out, or name one"),
        (Scope(documents=("",)), "no document fits ''", "'FIPS.203'"),
        (Scope(folders=("/doc/nist",)), "in the folder /doc/nist", "/docs/nist"),
        (Scope(since="2025"), "no document is within", "from 2024-08-13 to 2024-08-13. 1 of 2"),
        (Scope(documents=("notes*",), since="2000"), "no document is within", "have no date"),
        (Scope(kinds=("text", "tabel")), "no kind 'tabel'", "text, list, table"),
        (Scope(since="2024-13"), "'2024-13' is no date", "2024-08-13"),
        (Scope(until="2024-02-30"), "'2024-02-30' is no date", "2024-08-13"),
        (Scope(until="soon"), "'soon' is no date", "2024-08-13"),
        (Scope(since="2025", until="2024"), "ends (2024) before it begins (2025)", "Change"),
    ],
)
def test_scope_without_documents(scope: Scope, message: str, hint: str) -> None:
    with pytest.raises(ToolInputError) as error:
        check_scope(scope, lambda: LISTED)

    assert message in str(error.value)
    assert hint in error.value.hint


@pytest.mark.parametrize(
    ("scope", "counted"),
    [
        (Scope(since="2024"), "1 of 2"),
        (Scope(until="2000", documents=("notes*",)), "1 of 1"),
        (Scope(since="2024", documents=("fips*",)), ""),
        (Scope(documents=("notes*",)), ""),
        (EVERYTHING, ""),
    ],
)
def test_documents_without_a_date_are_counted(scope: Scope, counted: str) -> None:
    told = f"{UNDATED}{counted} documents have no date and are left out"

    assert ((told,) if counted else ()) == undated_warnings(scope, lambda: LISTED)


DOCUMENTS = [
    DocumentOutline(name, path)
    for name, path in (
        ("FIPS.203", "/home/me/docs/nist/FIPS.203.pdf"),
        ("FIPS.204", "/home/me/docs/nist/FIPS.204.pdf"),
        ("C# notes [draft]", "/home/me/docs/my notes/C# notes [draft].md"),
        ("Brötchen", "/home/me/docs/my notes/Bro\u0308tchen.MD"),
        ("api/box", "/home/me/docs/api/box.yaml"),
        ("old/box", "/home/me/docs/old/box.yaml"),
    )
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("fips", ["FIPS.203", "FIPS.204"]),
        ("my notes", ["C# notes [draft]", "Brötchen"]),
        ("C# notes [draft]", ["C# notes [draft]"]),
        ("[draft].md", ["C# notes [draft]"]),
        ("BRÖTCHEN", ["Brötchen"]),
        (r"API\BOX", ["api/box"]),
        ("box", ["api/box", "old/box"]),
        ("old/*", ["old/box"]),
        ("**/*.yaml", ["api/box", "old/box"]),
        ("FIPS.20[34]*", ["FIPS.203", "FIPS.204"]),
        ("/home/me/docs/api/box.yaml", ["api/box"]),
        ("/home/me/docs/nist", ["FIPS.203", "FIPS.204"]),
        ("  ", [document.doc_id for document in DOCUMENTS]),
    ],
)
def test_names_and_paths(wanted: str, found: list[str]) -> None:
    """A part of the name or path, or a glob; case, Unicode form and slashes do not count."""
    assert found == list(filtered_documents(DOCUMENTS, wanted))


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("FIPS-203", "The nearest: 'FIPS.203', 'FIPS.204'."),
        ("brotchen", "The nearest: 'Brötchen'."),
        ("home", "Leave it out, or name one such as 'FIPS.203', 'FIPS.204', 'C# notes [draft]'."),
        ("s/*", "Leave it out, or name one such as 'FIPS.203', 'FIPS.204', 'C# notes [draft]'."),
        ("zzz*", "Leave it out, or name one such as 'FIPS.203', 'FIPS.204', 'C# notes [draft]'."),
    ],
)
def test_a_filter_that_fits_nothing_names_the_nearest(wanted: str, hint: str) -> None:
    with pytest.raises(ToolInputError) as told:
        filtered_documents(DOCUMENTS, wanted)

    assert f"file_filter {wanted!r} matches no document" == str(told.value)
    assert hint == told.value.hint
