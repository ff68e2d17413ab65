"""What is written and ticked in a PDF's form."""

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.documents.adapters.pdf.drawing import draw_page
from tests.documents.small_pdf import small_pdf

FORM = small_pdf(
    [
        [
            (50, 700, 10, "Name"),
            (50, 660, 10, "Diet"),
            (120, 660, 10, "vegan"),
            (50, 620, 10, "Notes"),
        ]
    ],
    fields=[
        "/FT /Tx /T (name) /V (Ada Lovelace) /Rect [120 696 300 712]",
        "/FT /Btn /T (v) /V /Yes /AS /Yes /AP << /N << /Yes 3 0 R >> >> /Rect [104 658 114 668]",
        "/FT /Tx /T (notes) /Ff 4096 /V (nuts\\rand milk) /Rect [120 590 300 632]",
        "/FT /Tx /T (pin) /Ff 8192 /V (secret) /Rect [120 500 300 516]",
        "/FT /Tx /T (unseen) /F 2 /V (hidden) /Rect [120 540 300 556]",
    ],
)


def test_values_are_read_beside_their_names() -> None:
    """Hidden fields and passwords are not."""
    parsed = parse_pdf(FORM)
    text = " ".join(" ".join(block.text.replace("|", " ") for block in parsed.blocks).split())
    assert "Name Ada Lovelace Diet ☒ vegan Notes nuts and milk" == text
    assert "Ada Lovelace" in parsed.page_texts[0]


def test_a_field_is_where_its_page_has_it_however_that_is_shown() -> None:
    page = [[(50.0, 700.0, 10.0, "Name"), (50.0, 660.0, 10.0, "City")]]
    field = "/FT /Tx /T (n) /V (Ada) /Rect [120 696 300 712]"
    read = [parse_pdf(small_pdf(page, fields=[field], rotate=turn)).blocks for turn in (0, 90, 180)]
    assert [read[0]] * 3 == read
    assert ["Name Ada", "City"] == [block.text for block in read[0]]


def test_an_empty_form_reads_as_its_page_and_a_filled_one_is_drawn_with_its_values() -> None:
    page = [[(50.0, 700.0, 10.0, "Name")]]
    field = "/FT /Tx /T (n) /DA (/F 10 Tf) /Rect [120 696 300 712]"
    plain, empty, filled = (
        small_pdf(page, fields=fields) for fields in ((), (field,), (f"{field} /V (Ada)",))
    )
    assert parse_pdf(plain).blocks == parse_pdf(empty).blocks
    assert draw_page(empty, 1, ()).data != draw_page(filled, 1, ()).data
