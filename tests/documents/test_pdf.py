"""PDF files: text, tables, outline, labels, and everything that is wrong with them."""

import time
from collections import Counter

import pypdfium2
import pytest

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument
from tests.data_sets import data_set
from tests.types.small_pdf import Text, encrypted_pdf, small_pdf


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


def test_wrong_dates_are_left_out() -> None:
    """Month 13 is no date; the day of the last change counts where there is no other."""
    page = [paragraph("Text.")]

    assert "" == parse_pdf(small_pdf(page, info="/CreationDate (D:20241301)")).date
    assert "2023-01-01" == parse_pdf(small_pdf(page, info="/ModDate (D:2023)")).date


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


def test_printed_numbers_and_running_heads() -> None:
    """A printed number becomes the label; head and foot are not in the text."""
    pages = [
        [(50.0, 780.0, 9.0, "The Standard"), *paragraph(f"Text {w}."), (300.0, 30.0, 9.0, str(n))]
        for n, w in enumerate(["one", "two", "three", "four"], start=7)
    ]
    document = parse_pdf(small_pdf(pages))

    assert ("7", "8", "9", "10") == document.page_labels
    assert ["Text one.", "Text two.", "Text three.", "Text four."] == [
        block.text for block in document.blocks
    ]


def test_table_rows() -> None:
    """Cells of a line become one row; the caption stays with them."""
    cells = [("name", "key", "text"), ("A", "800", "768"), ("B", "1184", "1088")]
    page = [
        (50.0, 700.0, 12.0, "Table 1. Sizes"),
        *[
            (50.0 + 100 * column, 670.0 - 16 * row, 12.0, cell)
            for row, line in enumerate(cells)
            for column, cell in enumerate(line)
        ],
    ]
    (block,) = parse_pdf(small_pdf([page])).blocks

    assert "table" == block.kind
    assert "Table 1. Sizes\nname | key | text\nA | 800 | 768\nB | 1184 | 1088" == block.text


def test_turned_page() -> None:
    """A page that is stored lying on its side is read as it is shown."""
    page = paragraph("A line of text", "and another one.")

    assert "A line of text and another one." == parse_pdf(small_pdf([page])).blocks[0].text
    assert 2 == len(parse_pdf(small_pdf([page], rotate=90)).blocks[0].text.split(" of "))


def test_encrypted() -> None:
    """A file that needs a password says so."""
    with pytest.raises(DocumentError, match="encrypted; a password is needed"):
        parse_pdf(encrypted_pdf())


@pytest.mark.parametrize("data", [b"%PDF-1.7\nrubbish", b"", b"\x00" * 100, b"%PDF-1.7\n1 0 obj"])
def test_rubbish(data: bytes) -> None:
    """What is no PDF is refused in a few words."""
    with pytest.raises(DocumentError, match="not a readable PDF"):
        parse_pdf(data)


def test_truncated() -> None:
    """A file whose end is missing is refused, or read as far as it goes, with a warning."""
    data = small_pdf([paragraph(f"Page {i}.") for i in range(9)])
    outcomes = set()
    for size in range(200, len(data) - 10, 97):
        try:
            document = parse_pdf(data[:size])
        except DocumentError as error:
            outcomes.add(str(error))
        else:
            outcomes.update(document.warnings or ["no warning"])

    assert outcomes <= {
        "not a readable PDF",
        "the end of the file is missing; pages may be lost",
        "no text in it; it looks scanned: run OCR first",
    } | {outcome for outcome in outcomes if "cannot be read" in outcome or "(scanned?)" in outcome}
    assert "not a readable PDF" in outcomes


def test_pages_without_text() -> None:
    """Drawn pages without text are counted; a file of only such pages is refused."""
    drawn = "0 0 m 100 100 l S"
    pages = [paragraph("Text."), []]
    data = small_pdf(pages).replace(
        b"<< /Length 0 >>\nstream\n", f"<< /Length 17 >>\nstream\n{drawn}".encode()
    )

    assert ("1 of 2 pages have no text (scanned?)",) == parse_pdf(data).warnings
    with pytest.raises(DocumentError, match="looks scanned: run OCR first"):
        parse_pdf(small_pdf([[], []]))


def test_a_bad_page_costs_only_itself() -> None:
    """A page object that is none is reported, the others are read."""
    data = small_pdf([paragraph(f"Page {word}.") for word in ("one", "two", "three")])
    document = parse_pdf(data.replace(b"7 0 obj\n<< /Type /Page /", b"7 0 obj\n[] % /Type /Page /"))

    assert {"Page one.", "Page three."} <= {block.text for block in document.blocks}
    assert ("page 2 cannot be read",) == document.warnings


@pytest.fixture(scope="module")
def fips_203() -> ParsedDocument:
    return parse_pdf(data_set("nist-pqc", "pdf", "NIST.FIPS.203.pdf").read_bytes())


def test_fips_203_sizes(fips_203: ParsedDocument) -> None:
    """Table 3 on page 48 (printed 39) has its caption, its head and its rows."""
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


def test_fips_203_as_a_whole(fips_203: ParsedDocument) -> None:
    """Title, labels and headings; no running heads, no page numbers, no cut words."""
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
        read[block.page - 1].update(filter(str.isalnum, block.text))
    drawn = [
        Counter(filter(str.isalnum, page.get_textpage().get_text_bounded())) for page in document
    ]
    document.close()

    assert [] == [there - here for there, here in zip(read, drawn, strict=True) if there - here]
    assert 53 >= max((here - there).total() for there, here in zip(read, drawn, strict=True))


def test_table_drawn_cell_by_cell() -> None:
    """The draft IR 8547 draws its tables last and cell by cell, and numbers its lines."""
    document = parse_pdf(data_set("nist-pqc", "pdf", "NIST.IR.8547.ipd.pdf").read_bytes())
    page = [block.text for block in document.blocks if block.page == 20]

    assert "4.1.1. Digital Signatures" == page[0]
    assert "RSA [FIPS186] | 112 bits of security strength | Deprecated after 2030 Disallowed after 2035" in page[2].split("\n")  # fmt: skip  # noqa: E501
    assert "13" == document.page_labels[19]


def test_all_six_files_are_read() -> None:
    """Every page of the six documents has text, and reading them takes a few seconds."""
    start = time.perf_counter()
    pages = 0
    for path in sorted(data_set("nist-pqc", "pdf").glob("*.pdf")):
        document = parse_pdf(path.read_bytes())
        pages += len(document.page_labels)
        assert document.title
        assert () == document.warnings
        assert {block.page for block in document.blocks} >= {1, len(document.page_labels)}

    assert 309 == pages
    assert time.perf_counter() - start < 60  # 4 s on two cores


def test_letters_that_draw_signs() -> None:
    """TeX's symbol fonts draw bars and primes under the codes of letters and digits."""
    document = parse_pdf(data_set("nist-pqc", "pdf", "NIST.SP.800-227.pdf").read_bytes())
    text = " ".join(block.text for block in document.blocks)

    assert "KC_Step_Label∥IDP ∥IDR ∥EphP ∥EphR ∥ExtraP ∥ExtraR" in " ".join(text.split())
    assert "x∥y = x \u2032∥y \u2032 even though" in " ".join(text.split())
