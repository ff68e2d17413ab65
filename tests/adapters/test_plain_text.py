"""Plain text and source code."""

from research_agent.adapters.plain_text import parse_code, parse_text


def test_paragraphs_pages_and_lists() -> None:
    """Blank lines part paragraphs, form feeds pages, marks list items."""
    document = parse_text("One\nwrapped.\n\n- a\n  more\n- b\n\f\n2. two\n\nEnd.")

    assert [
        ("One\nwrapped.", 1, "text"),
        ("- a\n  more", 1, "list"),
        ("- b", 1, "list"),
        ("2. two", 2, "list"),
        ("End.", 2, "text"),
    ] == [(block.text, block.page, block.kind) for block in document.blocks]
    assert ("", "") == document.page_labels


def test_underlined_headings() -> None:
    """Titles as reStructuredText writes them become sections, by their marks."""
    document = parse_text("Guide\n=====\n\nA\n---\ntext\n\nB\n---\n\nmore\n\nNext\n====\nend")

    assert [("Guide", ("Guide",)), ("A", ("Guide", "A")), ("text", ("Guide", "A"))] == [
        (block.text, block.section) for block in document.blocks[:3]
    ]
    assert [("Guide", "B"), ("Guide", "B"), ("Next",), ("Next",)] == [
        block.section for block in document.blocks[3:]
    ]
    assert "Guide" == document.title


def test_code_keeps_its_lines() -> None:
    """Code is cut at blank lines only, or after eighty lines without one."""
    text = "\n".join(f"  line {i}" if i % 10 else "" for i in range(1, 200))
    blocks = parse_code(text).blocks
    dense = parse_code("\n".join(f"x{i}" for i in range(200))).blocks

    assert text.split() == "\n".join(block.text for block in blocks).split()
    assert all(block.text.startswith("  line") for block in blocks)
    assert [5, "code"] == [len(blocks), blocks[0].kind]
    assert [80, 80, 40] == [len(block.text.split("\n")) for block in dense]


def test_empty_and_long() -> None:
    """White space has no blocks; a line of 400 kB is one."""
    assert () == parse_text(" \n\n\t").blocks
    assert () == parse_code("\n\n").blocks
    assert 400_000 == len(parse_text("x" * 400_000).blocks[0].text)
