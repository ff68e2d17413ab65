"""The report is one harmless file, and each citation has a picture or the reason why not."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from research_agent.errors import IndexDamagedError, PathError
from research_agent.interfaces.report.content import heat
from research_agent.interfaces.report.writing import check_target, write_report
from research_agent.settings import Settings
from research_agent.types import Chunk
from research_agent.types.claims import Claim
from research_agent.types.uncertainty import Passed, Uncertainty
from research_agent.types.verification import Answer, Draft
from tests.documents.small_pdf import small_pdf
from tests.fakes import MemoryChunks, says
from tests.interfaces.reporting import (
    LINES,
    QUOTE,
    UNSURE,
    answered,
    conflict,
    html_of,
    over_pdf,
    parsed,
    watched,
)

HOSTILE = (
    "</style></title><script>alert(1)</script> javascript:alert(2) \x1b[31m \u202e {{ 7 * 7 }} "
    "<img src=https://evil.example/x onerror=alert(3)> \ud800 /*STYLE*/"
)


def test_the_cited_page_is_a_picture_with_the_words_marked(tmp_path: Path) -> None:
    """The quote's box lies where its line is on the page; the picture has words for its text."""
    result, chunks = over_pdf(tmp_path)
    tree = parsed(html_of(tmp_path, result, chunks, watched()))
    page = tree.css_first("svg.page")
    (box,) = tree.css("rect.quoted")
    width, height = (float(box.attributes[side] or 0) for side in ("width", "height"))

    assert "0 0 1000 1334" in page.attributes.values()
    assert (tree.css_first("svg.page image").attributes["href"] or "").startswith("data:image/png;")
    assert QUOTE in tree.css_first("svg.page title").text()
    assert 175 < float(box.attributes["y"] or 0) < 190  # baseline 680 of 800, 12 high
    assert 60 < float(box.attributes["x"] or 0) < 90
    assert (True, True) == (400 < width < 600, 12 < height < 30)
    assert ["1"] == [key.text() for key in tree.css(".answer a.key")]
    assert QUOTE == tree.css_first("blockquote mark").text()


def test_headings_links_and_names_are_in_order(tmp_path: Path) -> None:
    """Headings skip no level, every link leads to a place in the file, no id is there twice."""
    result, chunks = over_pdf(tmp_path)
    html = html_of(tmp_path, result, chunks, watched())
    tree = parsed(html)
    levels = [int(level) for level in re.findall(r"<h([1-6])", html)]
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    links = [node.attributes["href"] or "" for node in tree.css("a")]

    assert 1 == levels[0]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(ids) == len(set(ids))
    assert {link[0] for link in links} == {"#"}
    assert {link[1:] for link in links} <= set(ids)
    assert {node.attributes["aria-labelledby"] for node in tree.css("[aria-labelledby]")} <= set(
        ids
    )
    assert "en" == tree.css_first("html").attributes["lang"]
    assert all(table.css_first("caption").text().strip() for table in tree.css("table"))


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    """Question, answer, names and quotes of others neither run, nor load, nor hide anything."""
    name = "<b onclick=x>\u202efdp.pdf"
    result, chunks = over_pdf(tmp_path, name=name, question=HOSTILE, said=f"{HOSTILE}.")
    result = replace(result, warnings=(HOSTILE,), models={HOSTILE: HOSTILE})
    html = html_of(tmp_path, result, chunks, watched(f"{HOSTILE}."))
    tree = parsed(html)

    assert not tree.css("script, iframe, object, embed, form, base, link, audio, video, b[onclick]")
    assert not [a for node in tree.css("*") for a in node.attributes if a.startswith("on")]
    assert ["image"] == [n.tag for n in tree.css("img, image")]
    led = [node.attributes.get(a) or "#" for node in tree.css("*") for a in ("href", "src")]
    assert [] == [to for to in led if not to.startswith(("#", "data:image/png;base64,"))]
    assert not {"\x1b", "\u202e", "\ud800"} & set(html)
    assert "\\u202e" in tree.css_first("h1").text()
    assert "49" not in tree.css_first("h1").text()
    assert 1 == len(tree.css("style"))
    policy = tree.css_first("meta[http-equiv]").attributes["content"] or ""
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Path.unlink, "the file has vanished since it was indexed"),
        (lambda p: p.write_bytes(b"%PDF-1.4 broken"), "not a readable PDF"),
        (
            lambda p: p.write_bytes(small_pdf([[*LINES, (50.0, 600.0, 12.0, "New.")]])),
            "the page has changed since it was indexed",
        ),
    ],
)
def test_a_file_that_changed_has_a_reason_for_a_picture(
    tmp_path: Path, change: object, reason: str
) -> None:
    """No picture of another page is shown; the quoted words are."""
    result, chunks = over_pdf(tmp_path)
    change(tmp_path / "guide.pdf")  # type: ignore[operator]  # (all of them take a path)
    tree = parsed(html_of(tmp_path, result, chunks))

    assert not tree.css("svg.page")
    assert reason in tree.css_first("p.none").text()
    assert QUOTE == tree.css_first("blockquote mark").text()


def test_without_pages_the_quote_is_in_its_text(tmp_path: Path) -> None:
    """A Markdown file has no picture; what surrounds the quote is shown."""
    (tmp_path / "notes.md").write_text(QUOTE, encoding="utf-8")
    chunk = Chunk("n-0", "notes", f"Before. {QUOTE} Behind.", source=str(tmp_path / "notes.md"))
    tree = parsed(html_of(tmp_path, answered(chunk, chunks := MemoryChunks([chunk])), chunks))

    assert f"Before. {QUOTE} Behind." == tree.css_first("blockquote").text()
    assert "has no pages" in tree.css_first("p.none").text()


def test_conflicts_advice_and_doubts_are_words(tmp_path: Path) -> None:
    """Both values and documents, what was searched, what is unsure; nothing in them is markup."""
    result, chunks = over_pdf(tmp_path)
    passed = (Passed("logprobs", "absent"), Passed("disagreement", "failed"))
    found = Uncertainty("overlap", value=0.25, passed=passed)
    told = replace(result, conflicts=(conflict(HOSTILE),), unsure=(UNSURE,))
    told = replace(told, advice=f"Searched {HOSTILE}")
    tree = parsed(html_of(tmp_path, replace(told, uncertainty=found), chunks, watched()))
    items = [node.text() for node in tree.css("li") if "So says guide (2024, 1)" in node.text()]
    text = tree.css_first("body").text()

    assert 1 == len(items)
    assert "But b (no date)" in items[0]
    assert "Searched </style>" in text
    assert [] == tree.css("script, img")
    assert "unsure about the number 5: 1.25 nats, 0.75 of the most there could be." in text
    assert "25 % of its words are not in its quotes (not by log-probabilities: " in text


def test_files_of_others_are_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is forced; a path that cannot be written has a hint, before anything is asked."""
    monkeypatch.chdir(tmp_path)
    result, chunks = over_pdf(tmp_path)
    target = tmp_path / "answer.html"
    html_of(tmp_path, result, chunks)
    html_of(tmp_path, result, chunks)
    target.write_text("my own", encoding="utf-8")

    with pytest.raises(PathError, match="is no report"):
        html_of(tmp_path, result, chunks)
    assert "my own" == target.read_text(encoding="utf-8")
    write_report(result, str(target), chunks=chunks, settings=Settings(), force=True)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {"answer.html", "guide.pdf"} == {path.name for path in tmp_path.iterdir()}
    for path, problem in (
        ("", "folder"),
        ("none/answer.html", "no such folder"),
        (".", "is a folder"),
        ("a\0b", "written"),
    ):
        with pytest.raises(PathError, match=problem) as caught:
            check_target(path)
        assert caught.value.hint


def test_a_damaged_index_does_not_prevent_a_report(tmp_path: Path) -> None:
    """What cannot be looked up is told in place of the picture."""
    result, chunks = over_pdf(tmp_path)

    class Damaged(MemoryChunks):
        def chunks(self, chunk_ids: object) -> list[Chunk]:
            raise IndexDamagedError(f"{chunk_ids} damaged")

        def page_text(self, chunk_id: str, page: int) -> str:
            raise IndexDamagedError(f"{chunk_id} of page {page} is damaged")

    tree = parsed(html_of(tmp_path, result, Damaged([*chunks.known.values()])))
    assert "is damaged" in tree.css_first("p.none").text()
    assert "chunk gone-7" in tree.css_first("section[aria-labelledby=searches]").text()
    assert [] == [part for part in tree.css("#pages, #sources") if part.parent.tag == "summary"]


def test_a_refusal_shows_nothing_of_its_draft(tmp_path: Path) -> None:
    """Neither the sentences nor their tokens."""
    result, chunks = over_pdf(tmp_path)
    refused = replace(
        result,
        status="refused",
        answer="not found in provided docs",
        citations=(),
        refusal_reason="unsupported_draft",
        claims=(Claim("The moon is cheese."),),
        unanswered=("The moon is cheese.",),
    )
    html = html_of(tmp_path, refused, chunks, watched("The moon is cheese."))

    assert "not found in provided docs" in html
    assert "unsupported draft" in html
    assert "moon" not in html


def test_heat_leaves_out_markers_and_what_is_no_sentence_of_the_draft() -> None:
    """Sentences have a shade, also those with a mark."""
    reply = says("Keys are long [c1]. The moon is cheese [c1].", sure=False)
    draft = Draft(1, (Claim("Keys are long.", ("c1",)),))
    tokens = heat(Answer(reply.text, reply.tokens), draft)

    assert "Keys are long" == "".join(token.text for token in tokens)
    assert {2, 3, 4} >= {token.level for token in tokens} != {0}
    assert () == heat(Answer("another text", reply.tokens), draft)
    both = replace(draft, claims=(*draft.claims, Claim("The moon is cheese.", ("c1",))))
    shown = "".join(token.text for token in heat(Answer(reply.text, reply.tokens), both))
    assert "Keys are long The moon is cheese" == " ".join(shown.replace(".", "").split())
