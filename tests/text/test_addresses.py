"""Addresses in links: what leads to the user's documents, whatever is written there."""

import pytest

from research_agent.text.addresses import candidates, decoded, local_target, split_target


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("guide.md", "guide.md"),
        ("./a%20b.md#Two%20words", "./a%20b.md#Two words"),
        ("page.html?lang=de#top2", "page.html#top2"),
        ("#install", "#install"),
        ("  guide.md\n", "guide.md"),
        ("/docs/x.md", "/docs/x.md"),
        ("", ""),
        ("#", ""),
        ("?page=2", ""),
        ("https://example.org/a.md", ""),
        ("//example.org/a.md", ""),
        ("mailto:me@example.org", ""),
        ("javascript:alert(1)", ""),
        ("C:\\docs\\a.md", ""),
        ("\\\\server\\a.md", ""),
    ],
)
def test_local_target(href: str, target: str) -> None:
    """Other machines, mail, scripts and drives are no documents; the rest is kept as written."""
    assert target == local_target(href)


def test_the_first_mark_begins_the_anchor() -> None:
    assert ("a#b.md", "#x") == split_target("a%23b.md#x")
    assert ("a.md", "#/paths/~1x#y") == split_target("a.md#/paths/~1x#y")
    assert ("", "#x") == split_target("#x")


def test_percent_signs_that_encode_nothing_stay() -> None:
    assert ("100%", "50%-a", "\ufffdb", "\u00e9") == tuple(
        map(decoded, ("100%", "50%-a", "%ffb", "%C3%A9"))
    )


@pytest.mark.parametrize(
    ("path", "beside", "expected"),
    [
        ("b.md", "/docs/a.md", "/docs/b.md"),
        ("./x/../b c.md", "/docs/a.md", "/docs/b c.md"),
        ("../../../../b.md", "/docs/a.md", "/b.md"),
        ("sub/b", "/docs/a.md", "/docs/sub/b.html"),
        ("b.html", "/docs/a.md", "/docs/b.md"),
        ("sub/", "/docs/a.md", "/docs/sub/index.md"),
        ("..", "/docs/sub/a.md", "/docs/README.md"),
        ("../b.md", "C:\\docs\\sub\\a.md", "C:\\docs\\b.md"),
        ("/site/b.md", "/docs/a.md", "/site/b.md"),
    ],
)
def test_candidates(path: str, beside: str, expected: str) -> None:
    """Dots are resolved and never lead above the root; pages may lack their ending."""
    found = candidates(path, beside=beside)
    assert expected in found
    assert len(set(found)) == len(found)
