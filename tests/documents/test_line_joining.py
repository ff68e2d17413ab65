"""Hyphens at line ends."""

import pytest

from research_agent.documents.layout.line_joining import join_lines, vocabulary


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["stan-", "dard"], "standard"),
        (["stan\u00ad", "dard of"], "standard of"),
        (["lattice-", "based"], "lattice-based"),
        (["lattice\u00ad", "based"], "lattice-based"),
        (["Module-", "Lattice"], "Module-Lattice"),
        (["1 -", "2"], "1 - 2"),
        (["key-encapsulation-", "mechanism"], "key-encapsulation-mechanism"),
        (["ML-KEM-", "768"], "ML-KEM-768"),
        (["so\u00adft", "line"], "soft line"),
        ([], ""),
    ],
)
def test_hyphens(lines: list[str], expected: str) -> None:
    """A cut word is mended, a compound that the document knows keeps its hyphen."""
    assert expected == join_lines(lines, {"lattice-based", "standard"})


def test_vocabulary_leaves_out_cut_words() -> None:
    """The first half of a cut word is no word of the document."""
    assert {"a", "lattice-based", "word"} == vocabulary(["A lattice-based stan-", "word"])
