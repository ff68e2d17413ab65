"""Anchors and links arrive in the chunk that holds their words, however a document is cut."""

from research_agent.documents.chunking import linked_chunks
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import ChunkLinks, Link


def said(*blocks: Block, size: int = 200) -> list[tuple[str, ChunkLinks]]:
    document = ParsedDocument(blocks)
    cut = linked_chunks("k", "d", document, source="/d.md", chunk_chars=size)
    return [(chunk.text, links) for chunk, links in cut]


def link(target: str, text: str = "") -> Link:
    return Link(target, "link", text)


def test_a_long_paragraph_keeps_links_with_their_words() -> None:
    """Each link is in the part with its words; the same words twice are two places."""
    text = " ".join(f"Sentence number {i} has a word w{i % 7} in it." for i in range(30))
    links = (link("first", "w0"), link("second", "w0"), link("last", "number 29"), link("no"))
    parts = said(Block(text, anchors=("#p",), links=links))
    where = {item.target: place for place, (_, own) in enumerate(parts) for item in own.links}
    second = next(place for place, (text, _) in enumerate(parts) if "number 7 " in text)
    assert {"first": 0, "no": 0, "second": second, "last": len(parts) - 1} == where
    assert second
    assert [("#p",)] + [()] * (len(parts) - 1) == [own.anchors for _, own in parts]
    assert all(item.text == "" for _, own in parts for item in own.links)


def test_blocks_that_are_joined_keep_reading_order() -> None:
    """Anchors and links of several blocks in one chunk come in the order of the text."""
    first = Block("See b, then a.", anchors=("#1",), links=(link("b", "b"), link("a", "a")))
    second = Block("And b again.", anchors=("#2", "#1"), links=(link("b", "b"), link("c", "x")))
    ((_, own),) = said(first, second)
    assert (
        ChunkLinks(("#1", "#2"), (Link("b", "link"), Link("a", "link"), Link("c", "link"))) == own
    )


def test_a_sentence_over_a_page_break_keeps_both_links() -> None:
    """The second half of a sentence brings its links along."""
    first = Block("It goes on", page=1, links=(link("a", "on"),))
    second = Block("here at once.", page=2, links=(link("b", "here"),))
    ((text, own),) = said(first, second)
    assert "It goes on here at once." == text
    assert ["a", "b"] == [item.target for item in own.links]


def test_the_anchor_of_a_lone_heading_leads_below_it() -> None:
    """A heading that makes no chunk of its own hands its anchors on."""
    chapter = Block("1 One", section=("1 One",), anchors=("#one",))
    section = Block("1.1 Two", section=("1 One", "1.1 Two"), anchors=("#two",))
    text = Block("Text.", section=("1 One", "1.1 Two"))
    ((_, own),) = said(chapter, section, text)
    assert ("#one", "#two") == own.anchors


def test_parts_of_a_long_table_are_linked() -> None:
    """Each part leads to the first, the next and the one before; links stay with their rows."""
    rows = "\n".join(f"row {i} | {'x' * 40}" for i in range(30))
    table = Block(f"head | b\n{rows}", kind="table", anchors=("#t",), links=(link("z", "row 29"),))
    other = Block(f"head | c\n{rows}", kind="table")
    parts = said(table, other, size=300)
    edges = [[item.target for item in own.links if item.kind == "part"] for _, own in parts]
    names = [own.anchors[-1] for _, own in parts]
    half = len(parts) // 2
    assert half > 2
    assert len(set(names)) == len(names)
    assert [names[1]] == edges[0]
    assert [names[0], names[2]] == edges[1]
    assert sorted({names[0], names[half - 2]}) == sorted(edges[half - 1])
    assert [names[half + 1]] == edges[half]
    assert "#t" in parts[0][1].anchors
    assert "z" in {item.target for item in parts[half - 1][1].links}
    assert [("short",)] == [(text,) for text, own in said(Block("short", kind="table"))]
