"""How well indices, exponents, footnote marks and fractions of PDFs are read, at sampled places.

The places were drawn with a seed from all where the size of the type changes within a line, and
what is to be read there was written down by a person who looked at a picture of the page.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import pypdfium2

from benchmarks.common import CACHE, RESULTS, Row, folder, read, table_of, told_share
from benchmarks.pdf_files import DATA, half_of, pdf
from research_agent.documents.adapters.pdf.glyphs import page_glyphs, page_text, page_turn
from research_agent.documents.layout.frames import bars_of
from research_agent.documents.layout.spans import spans


def is_right(place: Row, cache: Path) -> bool:
    """Say whether a page reads at a place as a person reads it; spaces do not count."""
    with pypdfium2.PdfDocument(pdf(place["document"], cache)) as document:
        page = document[place["page"] - 1]
        text = page.get_textpage()
        turn = page_turn(text, page)
        glyphs, _, framed = page_glyphs(text, page, page_text(text), turn)
        lines = ["".join(span.text.split()) for span in spans(glyphs, bars_of(framed))]
    return any("".join(place["reads"].split()) in line for line in lines)


def outcomes(cache: Path) -> Iterator[tuple[str, Row, bool]]:
    """Yield the half, the place, and whether it reads right."""
    for place in read(DATA / "places.jsonl"):
        yield half_of(place["document"]), place, is_right(place, cache)


@click.command("characters")
@CACHE
def characters_command(*, cache: str) -> None:
    """Count places of PDFs where indices and exponents are read right."""
    with folder(cache) as where:
        told = list(outcomes(where))
    rows = []
    for half in ("choose", "report"):
        of = [right for name, _, right in told if name == half]
        rows.append(
            {"documents": half, "places": str(len(of)), "right": told_share(sum(of), len(of))}
        )
    wrong = [f"{p['document']} {p['page']}: {p['reads']}" for _, p, right in told if not right]
    text = "\n\n".join([table_of(rows), "Read otherwise: " + "; ".join(wrong)])
    (RESULTS / "characters.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)
