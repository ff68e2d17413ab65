"""HTML and Markdown as a reader sees them, with their links and anchors."""

import pytest

from research_agent.documents.adapters.markup.html import parse_html
from research_agent.documents.adapters.markup.markdown import parse_markdown
from research_agent.text.tables import spelled_out
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument

PAGE = """<!doctype html><html><head><title>A  page</title><meta charset="utf-8">
<meta property="article:published_time" content="2024-08-13T10:00:00Z">
<style>x{}</style></head><body><nav>Home</nav><header><h1>The <i>Page</i></h1></header>
<p>One &amp; <b>two</b>
   words.</p>loose <a href="#">link</a>
<h2>Lists</h2><ul><li>first<ul><li>inner</li></ul></li><li><p>second</p></li></ul>
<pre>  code
    kept</pre>
<table><caption>Sizes</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<script>bad()</script><p hidden>no</p>
<p style="display: none">no</p><div aria-hidden="true">no</div>
<dl><dt>term</dt><dd>meaning</dd></dl><blockquote>said</blockquote><footer>Imprint</footer>
</body></html>"""


def read(document: ParsedDocument) -> str:
    return "\n".join(block.text for block in document.blocks)


def told(document: ParsedDocument) -> list[tuple[str, tuple[str, ...], ChunkKind]]:
    return [(block.text, block.section, block.kind) for block in document.blocks]


def test_blocks_in_order() -> None:
    """Text, lists, code and tables under their headings; nothing that a reader does not see."""
    document = parse_html(PAGE)

    top, lists = ("The Page",), ("The Page", "Lists")
    assert [
        ("The Page", top, "text"),
        ("One & two words.", top, "text"),
        ("loose link", top, "text"),
        ("Lists", lists, "text"),
        ("- first", lists, "list"),
        ("  - inner", lists, "list"),
        ("- second", lists, "list"),
        ("  code\n    kept", lists, "code"),
        ("Sizes\na | b\n--- | ---\n1 | 2", lists, "table"),
        ("term", lists, "text"),
        ("meaning", lists, "text"),
        ("said", lists, "text"),
    ] == told(document)
    assert ("A page", "2024-08-13") == (document.title, document.date)


@pytest.mark.parametrize(
    ("page", "title", "date", "text"),
    [
        ('<meta name="date" content="yesterday"><h1>Head</h1>', "Head", "", "Head"),
        ('<time datetime="PT2H"><time datetime="2022-01-02T00">y', "", "2022-01-02", "y"),
        ('<meta name="DC.Date" content="2023/05">', "", "2023-05", ""),
        ('<script type="application/ld+json">{"datePublished": "2020"}</script>', "", "2020", ""),
        ("<p>x<svg><title>Menu</title></svg>", "", "", "x"),
        ("", "", "", ""),
        ("<form><input value=a><h1>It</h1><select><option>b</select>c</form>", "It", "", "It\nc"),
    ],
)
def test_title_and_date_of_a_page(page: str, title: str, date: str, text: str) -> None:
    """The title is the first h1 where the head has none."""
    document = parse_html(page)

    assert (title, date, text) == (document.title, document.date, read(document))


def test_a_bar_within_a_cell_is_no_other_cell() -> None:
    (table,) = parse_markdown("|Name|Type|Default|\n|-|-|-|\n|time|`number \\| null`|5|").blocks
    assert "Name time: Type = number | null; Default = 5" == spelled_out(table.text)


def test_sections_and_kinds() -> None:
    """Headings nest; lists, code and tables are told apart, and the marks are gone."""
    document = parse_markdown(
        "# Guide\nIntro with **bold** `code`\nwrapped.\n\n## Use\n1. one\n1. two\n   - deep\n\n"
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
        ("a | b\n--- | ---\n1 | 2", ("Guide", "Use"), "table"),
        ("End", ("End",), "text"),
        ("said", ("End",), "text"),
    ] == told(document)
    assert "Guide" == document.title


def test_pages_within_markdown() -> None:
    """Tables, lists and code in HTML are what they are in a page; scripts are not shown."""
    document = parse_markdown(
        "# A\n<table><tr><th>a<th>b<tr><td>1<td>2</table>\n\n<tr><td>3</td><td>4</td></tr>\n\n"
        "<ol><li>one</ol>\n\n<pre>x\n  y</pre>\n\n<style>\np {}\n</style>\n\n"
        "<aside>1 &lt; 2</aside>"
    )

    assert [
        ("A", "text"), ("a | b\n--- | ---\n1 | 2", "table"), ("3 | 4", "table"),
        ("1. one", "list"), ("x\n  y", "code"), ("1 < 2", "text"),
    ] == [(block.text, block.kind) for block in document.blocks]  # fmt: skip
    assert {("A",)} == {block.section for block in document.blocks}


def test_headings_of_a_note_end_with_it() -> None:
    """What follows a note or a quotation is no text of its headings."""
    page = "<main><h2>Use</h2><aside><h3>See</h3>a</aside><details><h3>More</h3>b</details><p>c"
    text = "## Use\n\n> ### See\n> a\n\nc"

    assert [("Use", "See"), ("Use", "More"), ("Use",)] == [
        block.section for block in parse_html(page).blocks if block.text in "abc"
    ]
    assert [("Use", "See"), ("Use",)] == [
        block.section for block in parse_markdown(text).blocks if block.text in "abc"
    ]


def test_footnotes_attributes_and_whole_tables_in_markdown() -> None:
    """A footnote is no target of links; attributes are no words; a table may have empty lines."""
    text = """# Intro {#in .unnumbered}

It is ~~10~~ 20[^1].

[^1]: https://example.org/spec

<table>
<tr><th>Plan</th><th>Price</th></tr>

<tr><td>

**A**

</td><td>5</td></tr>
</table>

<table>
never closed"""
    document = parse_markdown(text)

    assert ("Intro", ("#intro", "#in")) == (document.title, document.blocks[0].anchors)
    assert [
        "Intro",
        "It is ~~10~~ 20[^1].",
        "[^1]: https://example.org/spec",
        "Plan | Price\n--- | ---\nA | 5",
        "never closed",
    ] == [block.text for block in document.blocks]


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: 'My: notes'\ntags: [a]\ndate: 2024-08-13 10:00\n---",
        '+++\ntitle = "My: notes"\ndate = 2024-08-13T10:00:00Z\n+++',
    ],
)
def test_front_matter(front: str) -> None:
    """Title and date above the text are taken and not shown."""
    document = parse_markdown(f"{front}\nText")

    assert ("My: notes", "2024-08-13") == (document.title, document.date)
    assert "Text" == read(document)
    assert "" == parse_markdown("a\n\n---\ntitle: b").title


def test_headings_in_html_within_markdown() -> None:
    """They are headings of the page, and have the names that GitHub gives headings."""
    text = (
        '<h1 align="center"><img src=a.png> Kiln</h1>\n\nIt fires.\n\n<h2>Use</h2>\n\n## Use\n\nx'
    )
    document = parse_markdown(text)

    assert "Kiln" == document.title
    assert [
        ("Kiln", ("Kiln",), ("#kiln",)),
        ("It fires.", ("Kiln",), ()),
        ("Use", ("Kiln", "Use"), ("#use",)),
        ("Use", ("Kiln", "Use"), ("#use-1",)),
        ("x", ("Kiln", "Use"), ()),
    ] == [(block.text, block.section, block.anchors) for block in document.blocks]


MONEY = "See $a*b*c_1$ and $x_i$ for $5 and $6"
FORMULA = "$$\nf(x)\n=\n- g\n$$"
TAGS = "<div>\nin <b>it</b>\n</div>\n\n<!-- no -->\n\na<br>b ![alt](x.png) <https://x.org>"
SMALL = "CO<sub>2</sub>, 5 m<SUP>2</SUP><br/>two\n\n|a<br>b|c|\n|-|-|\n|3<sup>4</sup>|1|"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (TAGS, "in it\na\nb alt https://x.org"),
        (SMALL, "CO_2, 5 m^2\ntwo\na b | c\n--- | ---\n3^4 | 1"),
        (f"{MONEY}\n\n{FORMULA}", f"{MONEY}\n{FORMULA}"),
        ("---\n# First\nIt costs 4.\n---\n# Second\nBye\n", "First\nIt costs 4.\nSecond\nBye"),
    ],
)
def test_what_a_reader_sees_of_markdown(text: str, seen: str) -> None:
    """HTML leaves its text and small type, formulas stay; a rule begins slides, no front matter."""
    assert seen == read(parse_markdown(text))


def test_deep_and_long_markdown() -> None:
    """Deeply nested quotes, a line of 400 kB and 8,000 links in one paragraph are read in time."""
    text = " ".join(f"[w{i}](p{i}.md)" for i in range(8000))

    assert parse_markdown("> " * 3000 + "deep").blocks is not None
    assert 400_000 == len(parse_markdown("x" * 400_000).blocks[0].text)
    assert 8000 == len(links(parse_markdown(text).blocks))


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


SPANS = """<table><caption>Fares</caption><tr><td rowspan=2>Zone<td colspan=2>Price<tr><td>Child
<td>Adult<tr><td rowspan=2>A<td>1<td>2<tr><td>3<td></table>"""
LISTS = """<ol><li>one<ul><li>x</ul><ol type=a><li>aa<li>bb</ol><li value=7>y<li><p>p<p>q</ol>"""
NUMBERED = "<pre><span>9</span>if x:\n<span>10</span>    1()\n<span>11</span></pre>"
CODES = "<table><tr><td><pre>1\n2</pre></td><td><pre>if x:\n    y()</pre></td></tr></table>"
HEADED = "<table><tr><th>A<th>B"
TICKED = "<li><input type=checkbox checked disabled>done<li><input type=checkbox disabled>open"
FRACTION = "<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>b</mi></msqrt></mfrac>"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        # Deep nesting and layout tables lose no text.
        ("<table><tr><td><h2>A</h2><p>b<p>c</table><p hidden=until-found>d", "A\nb\nc\nd"),
        ("<table role=none><tr><td>a<td><p>b</table>", "a\nb"),
        ("<div>" * 10_000 + "deep" + "</div>" * 10_000 + "<p>after", "deep\nafter"),
        # Items have the numbers that a browser shows.
        (LISTS, "1. one\n  - x\n  a. aa\n  b. bb\n7. y\n8. p\n  q"),
        ("<ol reversed><li>c<li>b</ol><ul><li>u</ul>", "2. c\n1. b\n- u"),
        ("<ol start=5 type=I><li>c<li>b</ol><li>alone", "V. c\nVI. b\n- alone"),
        ("<ol start=x><li><pre>code</pre>c</ol>", "code\n1. c"),
        (TICKED, "- [x] done\n- [ ] open"),
        # Code is without the numbers of its lines.
        (CODES, "if x:\n    y()"),
        ("<pre><div>if x:</div><div>    y()\n</div><div>z</div></pre>", "if x:\n    y()\nz"),
        (NUMBERED, "if x:\n    1()\n"),
        ("<pre><b>1</b>, 2\n<b>3</b></pre><pre><b>1</b>\n<b>2</b></pre>", "1, 2\n3\n1\n2"),
        ("<pre><button>Copy</button>a<i hidden>b</i></pre>", "a"),
        (f"<pre>{'<i>' * 3000}a\n b", "a\n b"),
        ("<pre>a = 1<br>b = 2</pre>", "a = 1\nb = 2"),
        # Panels that a click opens are shown; signs beside a heading are no part of it.
        ("<h2>Use<span><a href='#use'>#</a></span></h2><input type=checkbox>", "Use"),
        ("<h3><button>How?</button></h3><div role=region aria-labelledby=b hidden>A.", "How?\nA."),
        ("<div role=tabpanel aria-hidden=true>yarn add</div><div hidden>x</div>", "yarn add"),
        ("<h2>Rye<a href=#rye>\u00b6</a></h2><p>Note<a href=#n>*</a>.", "Rye\nNote*."),
        ("<aside>Adverts</aside><main><p>Rye<aside>A note.</aside>", "Rye\nA note."),
        ("<p>Notice: <del>30</del> <ins>14</ins> days<s> </s>", "Notice: ~~30~~ 14 days"),
        (
            "<p>in <acronym>SQL</acronym>, <x-mark>or</x-mark> not<x-a><p>x</x-a>",
            "in SQL, or not\nx",
        ),
        # Tables: rows that are shown, feet and captions; names are in every place of their cell.
        (f"{HEADED}<tr hidden><td>x<tr><td><h3>1</h3><td><b>2</b>", "A | B\n--- | ---\n1 | 2"),
        (
            "<table><tfoot><tr><td>All<td>3</tfoot><tr><th>A<th>B<tr><td>x<td>3<td hidden>y",
            "A | B\n--- | ---\nx | 3\nAll | 3",
        ),
        (
            f"<figure>{HEADED}<tr><td>x<td>Yes</table><figcaption>Table 1",
            "Table 1\nA | B\n--- | ---\nx | Yes",
        ),
        (SPANS, "Fares\nZone | Price Child | Price Adult\nA | 1 | 2\nA | 3 |"),
        (
            "<table><thead><tr><th>a<th>b<th>c<tr><th>d<th>e<th>f<tbody><tr><td>1<td>2<td>3</table>",
            "a d | b e | c f\n1 | 2 | 3",
        ),
        ("<table><tr><td colspan=9999>All<tr><td>a<td>b<tr><td>c<td>d", "All\na | b\nc | d"),
        ("<table><tr><td rowspan=2><img src=x><th>Note<tr><td>Mind it.</table>", "Note\nMind it."),
        ("<table><tr><td colspan=x>a<td rowspan=-1>b</table>", "a | b"),
        ("<table><tr><td>x<b>y</b><td>10<sup>3</sup></table>", "xy | 10^3"),
        (
            f"<table><tr><td>Left<td>{HEADED}<tr><td>Pen<td>5</table></table>",
            "Left\nA | B\n--- | ---\nPen | 5",
        ),
        # Exponents and indices have their mark; what only controls a line is left out.
        ("<p>10<sup>12</sup> m<sup>2</sup>, H<sub>2</sub>O", "10^12 m^2, H_{2}O"),
        ("<p>2<sup>n+1</sup><i>x<sub>i<sup>k</sup></sub></i>", "2^{n+1}x_{i^k}"),
        ("<p>Said.<sup><a href=#n>[4]</a></sup> Paid<sup>4</sup>.", "Said.[4] Paid^4."),
        ("<p><sup>4</sup>A note.", "4 A note."),
        ("<p>a<sup> </sup>b<sub><p>c</sub>", "ab\nc"),
        ("<p>\x02^a\x03 \x02\x02b", "a b"),
        # Formulas are read as their page spells them out, or as they are drawn.
        ("<i style='display: none'><math alttext=mc^2></math></i> is E", "mc^2 is E"),
        ('<p>As <math alttext="x^{2}"><mi>x</mi></math> is.', "As x^{2} is."),
        ("<math><mi>y</mi><annotation encoding='application/x-tex'>y^3</annotation>", "y^3"),
        ("<math><mi>z</mi><mo>=</mo><mn>3</mn>", "z = 3"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mn>4</mn>", "x^2 = 4"),
        (f"See <math>{FRACTION}", "See (a + 1)/(√b)"),
        ("<math><mo>-</mo><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>", "-a_i^2"),
        (
            "<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>",
            "1, 2; 3",
        ),
        ("<math><mi>z</mi><annotation encoding=MathType-MTEF>x", "z"),
        ("<math><semantics><mi>z</mi><annotation encoding=LaTeX>z_1", "z_1"),
    ],
)
def test_what_a_reader_sees_of_a_page(page: str, text: str) -> None:
    """No more, and no less."""
    assert text == read(parse_html(page))


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
