"""Which documents a file filter names, and what it says where it names none."""

import pytest

from research_agent.errors import ToolInputError
from research_agent.types.records import DocumentOutline
from research_agent.types.scope import filtered_documents

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
        ("FIPS.203", ["FIPS.203"]),
        (".pdf", ["FIPS.203", "FIPS.204"]),
        ("nist/", ["FIPS.203", "FIPS.204"]),
        ("my notes", ["C# notes [draft]", "Brötchen"]),
        ("c# notes", ["C# notes [draft]"]),
        ("C# notes [draft]", ["C# notes [draft]"]),
        ("[draft].md", ["C# notes [draft]"]),
        ("BRÖTCHEN", ["Brötchen"]),
        ("bro\u0308t", ["Brötchen"]),
        (r"API\BOX", ["api/box"]),
        ("api/box.yaml", ["api/box"]),
        ("box", ["api/box", "old/box"]),
        ("*.yaml", ["api/box", "old/box"]),
        ("old/*", ["old/box"]),
        ("**/*.yaml", ["api/box", "old/box"]),
        ("**/box.*", ["api/box", "old/box"]),
        ("box.*", ["api/box", "old/box"]),
        ("FIPS.20[34]*", ["FIPS.203", "FIPS.204"]),
        ("fips.20?", ["FIPS.203", "FIPS.204"]),
        ("/home/me/docs/api/box.yaml", ["api/box"]),
        ("/home/me/docs/nist", ["FIPS.203", "FIPS.204"]),
        ("", [document.doc_id for document in DOCUMENTS]),
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
        ("zzz*", "Leave it out, or name one such as 'FIPS.203', 'FIPS.204', 'C# notes [draft]'."),
    ],
)
def test_a_filter_that_fits_nothing_names_the_nearest(wanted: str, hint: str) -> None:
    """An empty result would look as if nothing were said about it."""
    with pytest.raises(ToolInputError) as told:
        filtered_documents(DOCUMENTS, wanted)

    assert (f"file_filter {wanted!r} matches no document", hint) == (
        str(told.value),
        told.value.hint,
    )


def test_an_empty_index_says_so() -> None:
    """There is nothing to name."""
    with pytest.raises(ToolInputError, match="matches no document") as told:
        filtered_documents([], "x")

    assert "The index holds no document: research-agent index PATH" == told.value.hint


def test_long_nonsense_is_cut() -> None:
    """It is told back to a model."""
    with pytest.raises(ToolInputError) as told:
        filtered_documents(DOCUMENTS, "[" * 400)

    assert len(str(told.value)) < 130
