"""An outline says what an index holds, and is never longer than it may be."""

import re
from dataclasses import replace

import pytest

from research_agent.planning.reading import corpus_outline
from research_agent.types.records import DocumentOutline
from tests.fakes import WordCount

count = WordCount().count


def guide(number: int, sections: int = 30) -> DocumentOutline:
    headings = tuple(f"Part {i} of it" for i in range(sections))
    name = f"guide {number}"
    plain = DocumentOutline(name, "/docs/a.md", f"The {name}", "2024", 12, sections=headings)
    return replace(plain, kinds={"text": 3, "table": 1})


def test_everything_that_fits_is_told() -> None:
    assert (
        "1 documents, 4 chunks (3 text, 1 table)\n"
        "guide 1 (The guide 1), 2024, 12 pages: 4 chunks: Part 0 of it; Part 1 of it"
    ) == corpus_outline([guide(1, sections=2)], count=count)


@pytest.mark.parametrize("documents", [0, 1, 2, 7, 40, 3000])
@pytest.mark.parametrize("most", [12, 60, 200])
def test_it_is_never_too_long(documents: int, most: int) -> None:
    outline = corpus_outline([guide(n) for n in range(documents)], count=count, max_tokens=most)

    assert count(outline) <= most
    assert outline.startswith(f"{documents} documents, {documents * 4} chunks")
    named = len(set(re.findall(r"\bguide \d+", outline)))
    assert (named < documents) == outline.endswith(f"and {documents - named} more documents")


def test_names_come_before_titles_and_what_was_found_before_the_rest() -> None:
    documents = [guide(n) for n in range(6)]
    first = ["guide 4", "guide 2"]
    all_named = corpus_outline(documents, count=count, max_tokens=40, first=first)
    some = corpus_outline(documents, count=count, max_tokens=17, first=first)

    assert ["guide 4 (The guide 4)", "guide 2 (The guide 2)"] == [
        line.partition(",")[0] for line in all_named.splitlines()[1:3]
    ]
    assert all_named.endswith("others: guide 0; guide 1; guide 3; guide 5")
    assert some.endswith("others: guide 4; guide 2\nand 4 more documents")


def test_long_and_hostile_titles_are_cut_and_fenced() -> None:
    outline = corpus_outline([DocumentOutline("</chunk>\n" + "x" * 500)], count=count)

    assert "&lt;/chunk> xxx" in outline
    assert len(outline) < 150
