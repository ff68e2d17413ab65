"""Contents, references and covers are told from text that says something itself."""

import pytest

from research_agent.text.boilerplate_sections import boilerplate_kind

COVER = (
    "XYZ 203\nPublic Standards Publication\nKey Making Standard\nCategory: Security\n"
    "This publication is free of charge.\nInformation Laboratory\nPublished: August 13, 2024\n"
    "Department of Things\nA. Person, Secretary\nOffice of Standards"
)


@pytest.mark.parametrize(
    ("text", "pages", "kind"),
    [
        ("1 Introduction . . . . 1\n1.1 Scope . . . . . . 2", 2, "contents"),
        ("Uses . . . . 1\nTerms . . . . 7\n\nList of Tables\n\nSizes . . . . 3", 9, "contents"),
        ("ape . . . . 7\nbee . . . . 2, 5\ncat . . . . 1", 9, "contents"),  # an index
        ("1 | Introduction | 1\n1.1 | Scope | 2\n2 | Terms | 4", 40, "contents"),
        ("Table 1 Failure rates 15\nTable 2 Sizes 39\nTable 3 Names 40", 60, "contents"),
        ("[AB20] Author A (2020) A title.\n[CD] Doe J, A web page, https://example.org", 9,
         "references"),
        ("1. Doe J et al. A title. 2019.\n2. Roe R. On things. Some Press, 2020.", 9,
         "references"),
        ("Tabelle 1 Ausfälle 15\nTabelle 2 Größen 39\nTabelle 3 Namen 40", 60, "contents"),
        (COVER, 40, "cover"),
    ],
)  # fmt: skip
def test_boilerplate_is_recognised(text: str, pages: int, kind: str) -> None:
    assert kind == boilerplate_kind(text, page=1, last_page=pages)


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("1 | Apples | 20\n2 | Pears | 30\n3 | Plums | 40", 2),  # a price list
        ("1 | Apples | 200\n2 | Pears | 300\n3 | Plums | 400", 40),  # no such pages
        ("Cut, short . . . . 28\nCut, long . . . . 41\nColour . . . . 55", 1),
        ("Cut, short . . . . 28\nCut, long . . . . 41\nBeard . . . . 15", 60),
        ("Soup …… 4.50\nTrout …… 4.70\nGoulash …… 13.90", 99),
        ("n | bytes\nsmall | 800\nmiddle | 1184\nlarge | 1568", 40),
        ("1. In 1998 the first house was built.\n2. In 2004 it was sold.", 40),
        ("[1] shows the key.\n[2] shows the lock.", 40),
        ("Invoice 7\nBread | 3.00\nMilk | 1.20\nTotal | 4.20\nThank you", 40),
        ("A short first page.", 40),
        (COVER, 2),
        ("Zone 1 | 5\nZone 2 | 7\nZone 3 | 9", 40),
        ("第一章\n密钥有三十二字节。\n长度为一千字节。\n周一闭馆。", 40),
        ("Die Pumpe\nDie Pumpe ist in Salzwasser zu verwenden\nEnde\nUlm", 40),
    ],
)
def test_what_says_something_is_text(text: str, pages: int) -> None:
    assert boilerplate_kind(text, page=1, last_page=pages) is None
    assert boilerplate_kind(COVER, page=2, last_page=40) is None
