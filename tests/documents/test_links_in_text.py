"""Links and anchors of Markdown and HTML: where they stand, and what hostile pages make of them."""

import pytest

from research_agent.documents.adapters.html import parse_html
from research_agent.documents.adapters.markdown import parse_markdown
from research_agent.types.documents import Block


def links(blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [(link.target, link.text) for block in blocks for link in block.links]


def anchors(blocks: tuple[Block, ...]) -> dict[str, str]:
    """Return the beginning of the block that each anchor leads to."""
    return {anchor: block.text[:12] for block in blocks for anchor in block.anchors}


def test_markdown_links() -> None:
    """Inline, by reference, around images and code, in tables and lists; none to other machines."""
    text = """# Guide

See [the *setup*](setup%20it.md#first-run), [r][1], [`code`](#a-b) and ![alt](shot.png).
<https://example.org> [mail](mailto:a@example.org) [![alt text](b.png)](picture.md)

| a | b |
|---|---|
| [x](x.md) | [y](y.md "title") |

- item [z](../z.md?raw#c)

[1]: <a b.md>
"""
    assert [
        ("setup%20it.md#first-run", "the setup"),
        ("a%20b.md", "r"),
        ("#a-b", "code"),
        ("picture.md", ""),
        ("x.md", "x"),
        ("y.md", "y"),
        ("../z.md#c", "z"),
    ] == links(parse_markdown(text).blocks)


def test_markdown_anchors() -> None:
    """Headings as GitHub names them, written ids, and names in HTML."""
    text = """# A & B

## A & B {#own}

<a name="old"></a>

Text <span id=inline>here</span>.

<div id='block'>HTML</div>
"""
    assert {
        "#a--b": "A & B",
        "#a--b-1": "A & B",
        "#own": "A & B",
        "#old": "Text here.",
        "#inline": "Text here.",
        "#block": "HTML",
    } == anchors(parse_markdown(text).blocks)
    assert ("A & B", "A & B") == parse_markdown(text).blocks[1].section


def test_html_links_and_anchors() -> None:
    """Ids and names, those of what has no text of its own leading to what comes next."""
    page = """<h1 id=top>T</h1><nav><a href=menu.html>menu</a></nav>
    <section id=s><a name=n></a><p>see <a href="x%20y.html#a%20b">the <b>page</b></a></p></section>
    <table id=t><tr><td id=cell><a href="#s">s</a></table><pre id=code>x <a href=c.html>c</a></pre>
    <a href="javascript:x()">j</a> <a>none</a> <a href="">self</a>"""
    blocks = parse_html(page).blocks
    assert [("x%20y.html#a b", "the page"), ("#s", "s"), ("c.html", "c")] == links(blocks)
    assert {
        "#top": "T",
        "#s": "see the page",
        "#n": "see the page",
        "#t": "s",
        "#cell": "s",
        "#code": "x c",
    } == anchors(blocks)


def test_html_of_nested_tables_and_deep_elements() -> None:
    """Nothing is lost and nothing doubled where tables hold tables, or pages are nested deep."""
    table = "<table><tr><td><table><tr><td id=in><a href=z.html>z</a></table></table>"
    assert [("z.html", "z")] == links(parse_html(table).blocks)
    deep = "<div>" * 400 + "<p id=deep><a href=d.html>d</a>" + "</div>" * 400
    assert [("d.html", "d")] == links(parse_html(deep).blocks)
    assert {"#deep": "d"} == anchors(parse_html(deep).blocks)


@pytest.mark.parametrize(
    "text",
    [
        "[a](<b\nc>)",
        "[a](" + "(" * 500,
        "[" * 2000 + "](x.md)" * 2000,
        "<a name='",
        "<a href=",
        "# {#}\n\n# " + "#" * 500 + "{#x}",
        "[a](%)\n\n[b](#%zz)",
        "[x](\x00\ufffe.md)",
    ],
)
def test_broken_links_are_text(text: str) -> None:
    """Whatever a link lacks, the document is read, and what is no link is none."""
    for parse in (parse_markdown, parse_html):
        for target, _ in links(parse(text).blocks):
            assert target.strip()


def test_many_links_in_one_paragraph_are_read_in_time() -> None:
    """Twenty thousand links are looked at once, not each beside all the others."""
    text = " ".join(f"[w{i}](p{i}.md)" for i in range(20_000))
    assert 20_000 == len(links(parse_markdown(text).blocks))
