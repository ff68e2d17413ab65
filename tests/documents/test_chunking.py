"""Documents into chunks: whole sentences, whole tables, stable ids; links stay with their words."""

from itertools import pairwise

import pytest

from research_agent.documents.chunking import linked_chunks
from research_agent.text.pseudocode import goes_on
from research_agent.types import Chunk, chunk_header
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import ChunkLinks, Link


def chunks(*blocks: Block, size: int = 100, key: str = "key") -> tuple[Chunk, ...]:
    document = ParsedDocument(blocks, title="T", date="2024", page_labels=("i", "1", "2"))
    found = linked_chunks(key, "doc", document, source="/d.pdf", chunk_chars=size)
    return tuple(chunk for chunk, _ in found)


def said(*blocks: Block, size: int = 200) -> list[tuple[str, ChunkLinks]]:
    document = ParsedDocument(blocks)
    cut = linked_chunks("k", "d", document, source="/d.md", chunk_chars=size)
    return [(chunk.text, links) for chunk, links in cut]


def texts(*blocks: Block, size: int) -> list[str]:
    return [chunk.text for chunk in chunks(*blocks, size=size)]


def link(target: str, text: str = "") -> Link:
    return Link(target, "link", text)


def test_blocks_of_a_section_are_merged() -> None:
    """Paragraphs are joined by a blank line, list items by a line's end; sections never."""
    found = chunks(
        Block("One.", 1, ("A",)),
        Block("- a", 2, ("A",), "list"),
        Block("- b", 2, ("A",), "list"),
        Block("Two.", 3, ("B",)),
    )

    assert ["One.\n\n- a\n- b", "Two."] == [chunk.text for chunk in found]
    first = found[0]
    assert (1, 2, "i", "1") == (
        first.start_page, first.end_page, first.start_label, first.end_label,
    )  # fmt: skip
    assert ("T", "2024", "/d.pdf", "doc") == (first.title, first.date, first.source, first.doc_id)
    assert [0, 1] == [chunk.order for chunk in found]
    assert [("A",), ("B",)] == [chunk.section for chunk in found]


def test_long_text_is_cut_between_sentences() -> None:
    """Every chunk of a long paragraph ends where a sentence does, and nothing is lost."""
    text = " ".join(f"Sentence number {i} has e.g. some words." for i in range(50))
    found = chunks(Block(text), size=200)

    assert text == " ".join(chunk.text for chunk in found)
    assert all(chunk.text.endswith("words.") for chunk in found)
    assert all(100 < len(chunk.text) <= 200 for chunk in found)


@pytest.mark.parametrize("letter", ["x", "x "])
def test_endless_sentence_is_cut(letter: str) -> None:
    """400 kB without a full stop are cut at spaces, or hard, without loss."""
    text = (letter * 400_000)[:400_000].strip()
    found = chunks(Block(text), size=1000)

    assert max(len(chunk.text) for chunk in found) <= 1000
    assert text.count("x") == sum(chunk.text.count("x") for chunk in found)


def test_tables_and_code_stay_whole() -> None:
    """Up to half as long again; then rows are split, and a table repeats its first."""
    rows = [f"row {i} | {i}" for i in range(100)]
    small, *parts = chunks(
        Block("a | b\nc | d", kind="table"), Block("\n".join(rows), kind="table"), size=100
    )
    captioned = Block("\n".join(["Table 1. Sizes", " | key", *rows]), kind="table")
    code = chunks(Block("\n".join(rows), kind="code"), size=100)

    assert "a | b\nc | d" == small.text
    assert "table" == parts[0].kind
    assert all(part.text.startswith("row 0 | 0\n") for part in parts)
    assert rows[1:] == [line for part in parts for line in part.text.split("\n")[1:]]
    assert rows == [line for part in code for line in part.text.split("\n")]
    assert all(
        text.startswith("Table 1. Sizes\n | key\nrow") for text in texts(captioned, size=150)
    )


def test_parts_of_an_algorithm_have_its_caption() -> None:
    """No line is cut or lost, no part is too long, and each goes on with the steps before."""
    steps = [f"{i}: add {i} to the sum" for i in range(1, 30)]
    found = chunks(Block("\n".join(["Algorithm 1 Sum", *steps]), kind="algorithm"))

    short = Block("\n".join(["Algorithm 1 Sum", *steps[:5]]), kind="algorithm")

    assert short.text == chunks(short, Block("After " * 5))[0].text
    assert len(found) > 2
    assert {"Algorithm 1 Sum"} == {chunk.text.split("\n")[0] for chunk in found}
    assert steps == [line for chunk in found for line in chunk.text.split("\n")[1:]]
    assert all(len(chunk.text) <= 150 and chunk.kind == "algorithm" for chunk in found)
    assert all(goes_on(a.text, b.text) for a, b in pairwise(found))


def test_tiny_rest_joins_the_chunk_before() -> None:
    """A last piece under 15 % of the length makes no chunk of its own; after a table neither."""
    table = Block("a | b\nc | d", kind="table")

    assert 1 == len(chunks(Block("x" * 95 + "."), Block("Tiny.")))
    assert ["a | b\nc | d\n\nTiny."] == [c.text for c in chunks(table, Block("Tiny."))]
    assert 2 == len(chunks(table, Block("Tiny.", section=("other",))))


def test_heading_above_headings_makes_no_chunk() -> None:
    """A heading with nothing under it but deeper headings is only in their paths."""
    found = chunks(
        Block("A", section=("A",)),
        Block("B", section=("A", "B")),
        Block("Text.", section=("A", "B")),
        Block("C", section=("C",)),
    )

    assert ["B\n\nText.", "C"] == [chunk.text for chunk in found]


def test_ids_survive_insertions() -> None:
    """A new section changes no other id; equal texts have different ids; documents differ."""
    blocks = [Block(f"Text {i}.", section=(str(i),)) for i in range(3)]
    before = {chunk.text: chunk.chunk_id for chunk in chunks(*blocks)}
    after = {
        c.text: c.chunk_id for c in chunks(blocks[0], Block("New.", section=("n",)), *blocks[1:])
    }
    twins = chunks(Block("Same.", section=("a",)), Block("Same.", section=("b",)))
    other = chunks(*blocks, key="other")

    assert before.items() <= after.items()
    assert 2 == len({chunk.chunk_id for chunk in twins})
    assert before["Text 0."] != other[0].chunk_id
    assert 16 == len(other[0].chunk_id)


def test_odd_documents() -> None:
    """White space is no chunk; half a surrogate pair has an id; a header repeats nothing."""
    assert () == chunks(Block(" \n\t"), Block("", kind="table"))
    assert 1 == len(chunks(Block("\ud800 broken")))
    assert "T > A" == chunk_header(Chunk("i", "d", "text", title="T", section=("T", "A", "", "A")))


def test_a_sentence_over_a_page_break_stays_one() -> None:
    """It knows both pages and keeps the links of both halves."""
    first = Block("It goes on", page=1, links=(link("a", "on"),))
    second = Block("here at once.", page=2, links=(link("b", "here"),))
    ((text, own),) = said(first, second)
    (chunk,) = chunks(first, second)

    assert "It goes on here at once." == text
    assert ["a", "b"] == [item.target for item in own.links]
    assert (1, 2) == (chunk.start_page, chunk.end_page)


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


def test_a_wide_table_is_cut_between_columns() -> None:
    """Each part has the names of its columns, and what says which row it is."""
    names = [f"How was point {n} of the service?" for n in range(4)]
    people = [[str(n), f"Person {n}"] for n in range(2, 6)]
    rows = [["row", "id", *names], *([*one, "good", "bad", "fair", "poor"] for one in people)]
    found = texts(Block("\n".join(map(" | ".join, rows)), kind="table"), size=160)

    assert [
        "\n".join([f"row | id | {' | '.join(names[at : at + 2])}", *said])
        for at, said in (
            (0, [f"{' | '.join(one)} | good | bad" for one in people]),
            (2, [f"{' | '.join(one)} | fair | poor" for one in people]),
        )
    ] == found


def test_a_list_stays_whole_and_with_what_leads_to_it() -> None:
    """The rest of a list comes along; a sentence that ends in a colon moves to what it leads to."""
    items = [Block(f"{i}. an item of the list", kind="list") for i in range(4)]
    listed = "\n".join(item.text for item in items)
    first, leads, text = (Block(t) for t in ("x" * 90, "Check the following:", "y" * 60))

    assert [f"{first.text}\n\n{leads.text}\n\n{listed}"] == texts(first, leads, *items, size=150)
    assert [first.text, f"{leads.text}\n\n{text.text}"] == texts(first, leads, text, size=120)


def test_a_footnote_waits_for_the_end_of_the_sentence() -> None:
    """A sentence that goes on overleaf is not cut by the footnote below its page."""
    blocks = (Block("A sentence that goes", 1), Block("3 See elsewhere.", 1), Block("on here.", 2))
    (chunk,) = chunks(*blocks, size=500)

    assert "A sentence that goes on here.\n\n3 See elsewhere." == chunk.text
    assert (1, 2) == (chunk.start_page, chunk.end_page)
