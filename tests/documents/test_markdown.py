"""Markdown as a reader sees it."""

from research_agent.documents.adapters.markdown import parse_markdown


def test_sections_and_kinds() -> None:
    """Headings nest; lists, code and tables are told apart, and the marks are gone."""
    document = parse_markdown(
        "# Guide\nIntro with **bold** `code`\nwrapped.\n\n## Use\n1. one\n2. two\n   - deep\n\n"
        "   more\n\n```python\nx = 1\n\ny = 2\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n"
        "# End\n> said\n"
    )

    assert [
        ("Guide", ("Guide",), "text"),
        ("Intro with bold code\nwrapped.", ("Guide",), "text"),
        ("Use", ("Guide", "Use"), "text"),
        ("1. one", ("Guide", "Use"), "list"),
        ("2. two", ("Guide", "Use"), "list"),
        ("  - deep", ("Guide", "Use"), "list"),
        ("  more", ("Guide", "Use"), "list"),
        ("x = 1\n\ny = 2", ("Guide", "Use"), "code"),
        ("a | b\n1 | 2", ("Guide", "Use"), "table"),
        ("End", ("End",), "text"),
        ("said", ("End",), "text"),
    ] == [(block.text, block.section, block.kind) for block in document.blocks]
    assert "Guide" == document.title


def test_front_matter() -> None:
    """Title and date above the text are taken and not shown."""
    document = parse_markdown(
        "---\ntitle: 'My: notes'\ntags: [a]\ndate: 2024-08-13 10:00\n---\nText"
    )

    assert ("My: notes", "2024-08-13") == (document.title, document.date)
    assert ["Text"] == [block.text for block in document.blocks]


def test_rule_is_no_front_matter() -> None:
    """A line across a text, and a document without one, have no title."""
    assert ("", "") == (parse_markdown("a\n\n---\ntitle: b").title, parse_markdown("").title)


def test_tags_are_dropped() -> None:
    """HTML in Markdown leaves its text; comments and addresses leave nothing."""
    document = parse_markdown(
        "<div>\nin <b>it</b>\n</div>\n\n<!-- no -->\n\na<br>b ![alt](x.png) <https://x.org>"
    )

    assert ["in it", "ab alt https://x.org"] == [block.text for block in document.blocks]


def test_deep_and_long_input() -> None:
    """Deeply nested quotes and a line of 400 kB are read."""
    assert parse_markdown("> " * 3000 + "deep").blocks is not None
    assert 400_000 == len(parse_markdown("x" * 400_000).blocks[0].text)
