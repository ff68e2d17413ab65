"""Sentences as a result prints them, and its bibliography."""

import re

import pytest

from research_agent.types.bibliography import bibliography
from research_agent.types.claims import Claim
from research_agent.types.result import Citation, with_markers


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("It rains.", "It rains [c1]."),
        ("It rains", "It rains [c1]."),
        ("यह है।", "यह है [c1]।"),
        ("ما هذا؟", "ما هذا [c1]؟"),
        ("| size | 5 |", "| size | 5 [c1] |"),
        ("|x| is |y|.", "|x| is |y| [c1]"),
    ],
)
def test_keys_stand_before_the_stop_of_any_script_and_in_a_rows_last_cell(
    text: str, printed: str
) -> None:
    assert printed == with_markers(Claim(text, ("c1",), verdict="supported"))


def test_documents_have_keys_of_their_own() -> None:
    """Also those whose names differ in signs that BibTeX does not allow."""
    names = ["\u62a5\u544a 2024", "\u6458\u8981 2024", "a b", "A-B", "\u62a5\u544a"]
    citations = [
        Citation("c1", "", name, "", "", "", 1, 1, "", "", (), f"id{at}", "", 0, 0)
        for at, name in enumerate(names)
    ]

    keys = re.findall(r"@misc{(.*),", bibliography(citations, "bibtex"))

    assert ["2024", "2024-id1", "a-b", "A-B-id3", "id4"] == keys
