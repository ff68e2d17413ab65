"""HTML as a reader sees it."""

import pytest

from research_agent.documents.adapters.html import declared_charset, parse_html

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
        ("- inner", lists, "list"),
        ("- second", lists, "list"),
        ("  code\n    kept", lists, "code"),
        ("Sizes\na | b\n1 | 2", lists, "table"),
        ("term", lists, "text"),
        ("meaning", lists, "text"),
        ("said", lists, "text"),
    ] == [(block.text, block.section, block.kind) for block in document.blocks]
    assert ("A page", "2024-08-13") == (document.title, document.date)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<meta name="date" content="2023-05">', "2023-05"),
        ('<body><time datetime="2022-01-02T00:00">x</time>', "2022-01-02"),
        ('<meta name="date" content="yesterday">', ""),
    ],
)
def test_dates(head: str, expected: str) -> None:
    """The day a page names, in one of the usual ways."""
    assert expected == parse_html(head).date


def test_title_from_the_heading() -> None:
    """Without a title in the head, the first h1 is it; empty pages have none."""
    assert "Head" == parse_html("<h1>Head</h1>").title
    assert ("", ()) == (parse_html("").title, parse_html("").blocks)


def test_deep_nesting() -> None:
    """A page nested ten thousand deep neither fails nor loses its text."""
    document = parse_html("<div>" * 10_000 + "deep" + "</div>" * 10_000 + "<p>after")

    assert ["deep", "after"] == [block.text for block in document.blocks]


def test_forms_are_read_without_their_controls() -> None:
    """Some sites wrap the whole page in a form; what is typed or chosen in it is no text."""
    document = parse_html(
        "<form action=x><input type=hidden value=state><h1>Report</h1><p>It is read.</p>"
        "<select><option>one</option></select><textarea>typed</textarea><button>Go</button></form>"
    )

    assert ["Report", "It is read."] == [block.text for block in document.blocks]


def test_declared_charset() -> None:
    """Both ways of naming the encoding are read."""
    old = b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'

    assert ("koi8-r", "") == (declared_charset(old), declared_charset(b"<p>charset=no"))
