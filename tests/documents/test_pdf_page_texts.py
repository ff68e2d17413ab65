"""The text of a PDF's pages as the file has it, and quotes of chunks in it."""

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.documents.chunking import linked_chunks
from research_agent.text.alignment import page_spans
from research_agent.text.boilerplate_sections import APPARATUS
from research_agent.text.sentences import sentence_spans
from tests.data_sets import data_set
from tests.types.small_pdf import small_pdf


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


def test_a_page_that_cannot_be_read_has_no_text() -> None:
    """The others keep their numbers."""
    data = small_pdf([[(50, 700, 12, "first")], [(50, 700, 12, "second")]])
    broken = data.replace(b"/Kids [5 0 R 7 0 R]", b"/Kids [9 0 R 7 0 R]")
    document = parse_pdf(broken)

    assert [False, True] == [bool(text) for text in document.page_texts]


def test_quotes_of_a_real_document_are_found() -> None:
    """Sentences, rows of tables and lines of algorithms; those that are not are formulas."""
    name = "NIST.IR.8547.ipd"
    document = parse_pdf(data_set("nist-pqc", "pdf", f"{name}.pdf").read_bytes())
    found: list[bool] = []
    for chunk, _ in linked_chunks("k", name, document, source=name, chunk_chars=1000):
        numbers = range(chunk.start_page, chunk.end_page + 1)
        pages = {number: document.page_texts[number - 1] for number in numbers}
        for start, end in sentence_spans(chunk.text) if chunk.kind not in APPARATUS else ():
            context = {"before": chunk.text[:start], "after": chunk.text[end:]}
            spans = page_spans(chunk.text[start:end], pages, **context)
            said = "".join(pages[s.page][s.start : s.end] for s in spans)
            found.append(bool(said) and len(said) < 2 * (end - start) + 40)

    assert len(found) > 300
    assert sum(found) / len(found) > 0.99
