"""PDF files: text, tables, outline, labels, and everything that is wrong with them."""

import time
from collections import Counter
from functools import cache

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.documents.layout.tables import NOT_CERTAIN
from research_agent.errors import DocumentError
from research_agent.text.alignment import page_spans
from research_agent.types.documents import ParsedDocument
from tests.data_sets import data_set
from tests.documents.small_pdf import Text, encrypted_pdf, small_pdf


@cache
def standard(name: str) -> ParsedDocument:
    """Read a file of NIST's, once."""
    return parse_pdf(data_set("nist-pqc", "pdf", name).read_bytes())


def paragraph(*lines: str, top: float = 700) -> list[Text]:
    return [(50, top - 14 * i, 12, text) for i, text in enumerate(lines)]


def test_paragraphs_title_and_date() -> None:
    """Wrapped lines are joined, cut words mended; title and date come from the file."""
    page = [*paragraph("One line and a sec-", "ond line."), *paragraph("Apart.", top=600)]
    document = parse_pdf(small_pdf([page], info="/Title (A Guide) /CreationDate (D:20240813)"))

    assert ["One line and a second line.", "Apart."] == [b.text for b in document.blocks]
    assert ("A Guide", "2024-08-13", ("",)) == (document.title, document.date, document.page_labels)
    assert () == document.warnings


@pytest.mark.parametrize("info", ["", "/Title (Untitled)", "/Title (report.docx)", "/Title (a/b)"])
def test_title_from_the_largest_lines(info: str) -> None:
    """A file name is no title; large type on the first page is one."""
    page = [(50.0, 700.0, 24.0, "Large Title"), *paragraph("Some text.", "More text.", top=600)]

    assert "Large Title" == parse_pdf(small_pdf([page], info=info)).title


@pytest.mark.parametrize(
    ("info", "date"), [("/CreationDate (D:20241301)", ""), ("/ModDate (D:2023)", "2023-01-01")]
)
def test_wrong_and_short_dates(info: str, date: str) -> None:
    """Month 13 is no date; the day of the last change counts where there is no other."""
    assert date == parse_pdf(small_pdf([paragraph("Text.")], info=info)).date


def test_outline_makes_sections() -> None:
    """A block has the headings of the bookmarks that begin at or before it."""
    pages = [
        [*paragraph("1 First", top=700), *paragraph("Text one.", top=660)],
        [*paragraph("Still one.", top=700), *paragraph("Text two.", top=500)],
    ]
    document = parse_pdf(small_pdf(pages, outline=[("First", 0, 720), ("Second", 1, 520)]))

    assert [
        ("1 First", ("1 First",), 1),
        ("Text one.", ("1 First",), 1),
        ("Still one.", ("1 First",), 2),
        ("Text two.", ("Second",), 2),
    ] == [(block.text, block.section, block.page) for block in document.blocks]


def test_damaged_outline_and_metadata() -> None:
    """Half a character in a bookmark or the title, and a page that is not there, do no harm."""
    data = small_pdf(
        [paragraph("Text.")],
        info="/Title (\xfe\xff\xd8\x00)",
        outline=[("\xfe\xff\xd8\x00", 0, 720), ("Nowhere", 40, 1), ("Good", 0, 720)],
    )

    assert [("Text.", ("Good",))] == [(b.text, b.section[-1:]) for b in parse_pdf(data).blocks]


def test_labels_of_the_file() -> None:
    """Where no number is printed, the labels that the file gives its pages count."""
    labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) >>] >>"
    pages = [paragraph(f"Page {word}.") for word in ("one", "two", "three")]

    assert ("i", "ii", "A-1") == parse_pdf(small_pdf(pages, catalog=labels)).page_labels


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (encrypted_pdf(), "encrypted; a password is needed"),
        (b"%PDF-1.7\nrubbish", "not a readable PDF"),
        (b"", "not a readable PDF"),
        (small_pdf([[], []]), "nothing is on its pages"),
    ],
)
def test_what_cannot_be_read_has_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        parse_pdf(data)


def test_truncated() -> None:
    """A file whose end is missing is refused, or read as far as it goes, with a warning."""
    data = small_pdf([paragraph(f"Page {i}.") for i in range(9)])
    outcomes: set[str] = set()
    for size in range(200, len(data) - 10, 97):
        try:
            outcomes.update(parse_pdf(data[:size]).warnings or ["no warning"])
        except DocumentError as error:
            outcomes.add(str(error))

    cut = data[: data.index(b"22 0 obj")] + b"trailer << /Root 1 0 R /Size 22 >>\n"

    assert "not a readable PDF" in outcomes
    assert "no warning" not in outcomes
    assert ("the end of the file is missing; 1 of 9 pages are empty",) == parse_pdf(cut).warnings


def test_bad_pages_and_scans_cost_only_themselves() -> None:
    """A page object that is none and a page that only holds a drawing are told, the rest read."""
    data = small_pdf([paragraph("Page one."), paragraph("Page two."), [], paragraph("Page four.")])
    data = data.replace(b"7 0 obj\n<< /Type /Page /", b"7 0 obj\n[] % /Type /Page /")
    drawn = b"<< /Length 17 >>\nstream\n0 0 m 100 100 l S"
    document = parse_pdf(data.replace(b"<< /Length 0 >>\nstream\n", drawn))

    assert ["Page one.", "Page four."] == [block.text for block in document.blocks]
    assert [True, False, False, True] == [bool(text.strip()) for text in document.page_texts]
    assert (
        "page 2 cannot be read",
        "1 of 4 pages have no text (scanned?): page 3",
    ) == document.warnings
    assert (4, 1, 1) == (
        document.quality.pages, document.quality.textless, document.quality.unreadable,
    )  # fmt: skip


@pytest.fixture(scope="module")
def fips_203() -> ParsedDocument:
    return standard("NIST.FIPS.203.pdf")


def test_fips_203(fips_203: ParsedDocument) -> None:
    """No running heads, no page numbers, no cut words; a table has its caption, head and rows."""
    (table,) = [b for b in fips_203.blocks if b.page == 48 and b.text.startswith("Table 3.")]

    assert [
        "Table 3. Sizes (in bytes) of keys and ciphertexts of ML-KEM",
        "| encapsulation key | decapsulation key | ciphertext | shared secret key",
        "ML-KEM-512 | 800 | 1632 | 768 | 32",
        "ML-KEM-768 | 1184 | 2400 | 1088 | 32",
        "ML-KEM-1024 | 1568 | 3168 | 1568 | 32",
    ] == table.text.split("\n")
    assert ("8. Parameter Sets",) == table.section
    assert "39" == fips_203.page_labels[47]
    assert "Module-Lattice-Based Key-Encapsulation Mechanism Standard" == fips_203.title
    assert ("", "", "", "i", "ii") == fips_203.page_labels[:5]
    text = "\n".join(block.text for block in fips_203.blocks)
    assert "FIPS 203 MODULE-LATTICE-BASED" not in text
    assert "39" not in text.split("\n")
    assert "multiplication in each of the 128 coordinates" in text
    assert "\u00ad" not in text
    assert ("4. Auxiliary Algorithms", "4.3 The Number-Theoretic Transform") in {
        block.section for block in fips_203.blocks
    }


def test_no_letter_is_lost_or_invented(fips_203: ParsedDocument) -> None:
    """Page by page, the blocks hold the letters of the page but its head and number."""
    document = pypdfium2.PdfDocument(data_set("nist-pqc", "pdf", "NIST.FIPS.203.pdf").read_bytes())
    read = [Counter[str]() for _ in fips_203.page_labels]
    for block in fips_203.blocks:
        read[block.page - 1].update(filter(str.isalnum, block.text.removeprefix(NOT_CERTAIN)))
    drawn = [
        Counter(filter(str.isalnum, page.get_textpage().get_text_bounded())) for page in document
    ]
    document.close()

    assert [] == [there - here for there, here in zip(read, drawn, strict=True) if there - here]
    assert 53 >= max((here - there).total() for there, here in zip(read, drawn, strict=True))


def test_table_drawn_cell_by_cell() -> None:
    """The draft IR 8547 draws its tables last and cell by cell, and numbers its lines."""
    document = standard("NIST.IR.8547.ipd.pdf")
    page = [block.text for block in document.blocks if block.page == 20]

    assert "4.1.1. Digital Signatures" == page[0]
    assert "RSA [FIPS186] | 112 bits of security strength | Deprecated after 2030 Disallowed after 2035" in page[2].split("\n")  # fmt: skip  # noqa: E501
    assert "13" == document.page_labels[19]


def test_whole_files_are_read() -> None:
    """Every page of four documents of every kind has text; reading takes 30 ms a page."""
    start = time.process_time()
    pages = 0
    for name in ("FIPS.203", "FIPS.204", "IR.8547.ipd", "SP.800-227"):
        document = standard(f"NIST.{name}.pdf")
        pages += len(document.page_labels)
        assert document.title
        assert () == document.warnings
        assert {block.page for block in document.blocks} >= {1, len(document.page_labels)}

    assert 214 == pages
    assert time.process_time() - start < 40


def test_letters_that_draw_signs() -> None:
    """TeX's symbol fonts draw bars and primes under the codes of letters and digits."""
    document = standard("NIST.SP.800-227.pdf")
    text = " ".join(block.text for block in document.blocks)

    assert "KC_Step_Label∥ID_P ∥ID_R ∥Eph_P ∥Eph_R ∥Extra_P ∥Extra_R" in " ".join(text.split())
    assert "x∥y = x\u2032∥y\u2032 even though" in " ".join(text.split())


def test_places_are_numbers_of_characters() -> None:
    """The n-th character of the text is the library's n-th, pairs and hyphens included."""
    letters = {"~": "\ufb01", "^": "\U0001d465", "|": "\u00ad"}
    lines = [(50, 700, 12, "The ~rst value ^ is a num|"), (50, 686, 12, "ber, and ^^ two.")]
    data = small_pdf([lines, []], letters=letters)
    (first, empty) = parse_pdf(data).page_texts
    document = pypdfium2.PdfDocument(data)
    text = document[0].get_textpage()
    codes = [pdfium.FPDFText_GetUnicode(text.raw, i) for i in range(text.count_chars())]
    document.close()

    assert "" == empty
    assert len(codes) == len(first)
    same = [ord(char) == code for char, code in zip(first, codes, strict=True)]
    pairs = [i for i, code in enumerate(codes) if 0xD800 <= code < 0xE000]
    assert all(same[i] for i in range(len(codes)) if i not in pairs)
    assert {"\U0001d465", "\0"} >= {first[i] for i in pairs}
    spans = page_spans("The first value x is a number, and xx two.", {1: first})
    assert [(1, 0, len(first.rstrip()))] == [(s.page, s.start, s.end) for s in spans]
