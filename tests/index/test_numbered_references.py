"""References by number: what is one, what defines it, and what looks like either."""

from dataclasses import replace

import pytest

from research_agent.index.numbered_references import linked
from research_agent.types import Chunk, ChunkKind
from research_agent.types.references import ChunkLinks, Link


def chunk(text: str, *section: str, kind: ChunkKind = "text") -> Chunk:
    return Chunk(text[:8], "d", text, section=section, kind=kind)


def leads(*chunks: Chunk) -> list[list[int]]:
    """Return for each chunk the places of those that it refers to."""
    found = linked([(item, ChunkLinks()) for item in chunks])
    anchors = {name: i for i, (_, links) in enumerate(found) for name in links.anchors}
    assert {"see"} >= {link.kind for _, links in found for link in links.links}
    return [[anchors[link.target] for link in links.links] for _, links in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see Section 5.2", [1]),
        ("(Sec. 5.2)", [1]),
        ("\u00a7 5.2 says", [1]),
        ("SECTION 5.2", [1]),
        ("Sections 5.2 and 6", [1, 2]),
        ("see Sections 6, 5.2.", [2, 1]),
        ("Tables 1\u20133", [3, 4, 5]),
        ("Tabs. 1 to 3", [3, 5]),
        ("as in Table 2, Table 2 and Table 2", [4]),
        ("Appendix B", [6]),
        ("Appendices B", [6]),
        ("Algorithm 19 (ML-KEM.KeyGen)", [7]),
        ("Eq. (3)", []),
        ("Equation 3", [8]),
        ("Section 5.2 of [12]", []),
        ("Section 5.2 of FIPS 204", []),
        ("[12, Section 5.2]", []),
        ("Section 5.2 and FIPS 204", [1]),
        ("Section 5.25", []),
        ("Section 9", []),
        ("a dissection 6", []),
        ("Appendix B's", []),
        ("Section K-PKE", []),
        ("Table 2 % of all", [4]),
    ],
)
def test_what_is_a_reference(text: str, found: list[int]) -> None:
    """Words, plurals, short forms, lists and ranges; not numbers of other documents."""
    there = (
        chunk("about keys", "5 Keys", "5.2 Sizes"),
        chunk("more", "6. More"),
        *(chunk(f"Table {i}. Sizes\na | b", kind="table") for i in (1, 2, 3)),
        chunk("List", "Appendix B \u2014 Bounds"),
        chunk("Algorithm 19 ML-KEM.KeyGen()\n1: d", kind="algorithm"),
        chunk("x = y + z (3)\nwhere"),
    )
    assert found == leads(chunk(text), *there)[0]


def test_captions_before_text_and_longer_sections_before_shorter() -> None:
    """The table itself, not the sentence that begins like it; not the cover's own numbers."""
    assert [[2], [2], []] == leads(
        chunk("see Table 2"), chunk("Table 2 shows it."), chunk("Table 2. It", kind="table")
    )
    body = [chunk(f"b{i}", "8. Parameter Sets") for i in range(3)]
    assert [2] == leads(chunk("see Section 8"), chunk("c", "8. Cover"), *body)[0]


def test_lists_and_contents_define_nothing() -> None:
    """An entry of a list of figures leads elsewhere, and so does a table of contents."""
    contents = chunk(
        "Figure 1 A view \u2026 12\nAppendix C \u2014 More \u2026 40", "List of Figures"
    )
    caption = chunk("Text.\n\nFigure 1. A view")
    assert [1] == leads(contents, caption)[0]
    only = replace(chunk("Table 1. Sizes\nSection 2"), kind="contents")
    assert [[], []] == leads(only, chunk("see Table 1", "2 Two"))
    assert [[2], [2], []] == leads(
        chunk("| Appendix C | 3 |", kind="table"), chunk("see Appendix C"), chunk("t", "Appendix C")
    )


def test_a_chunk_does_not_refer_to_itself_and_keeps_what_it_had() -> None:
    """Its own caption is no reference; links and anchors of the parser stay in front."""
    known = ChunkLinks(("#a",), (Link("#b", "link"),))
    (found,) = linked([(chunk("Table 1. See Table 1."), known)])
    assert (("#a", "table 1"), known.links) == (found[1].anchors, found[1].links)


def test_terms_of_glossaries_line_by_line() -> None:
    """Below a heading that says so; elsewhere a line with a mark defines nothing."""
    lines = "tide gauge | A pole.\n**HAT**: highest tide\n- ebb \u2013 water goes out\nplain text"
    glossary, other = linked(
        [(chunk(lines, "Glossary"), ChunkLinks()), (chunk(lines, "Use"), ChunkLinks())]
    )
    assert (("tide gauge", "HAT", "ebb"), ()) == (glossary[1].terms, other[1].terms)
