"""Small valid PDF files, written by hand."""

from collections.abc import Mapping, Sequence

_ANNOTS = "/Annots []"
Text = tuple[float, float, float, str]
"""Left edge, baseline, type size, text."""


def small_pdf(  # noqa: PLR0913 (one argument for each part of a file)
    pages: Sequence[Sequence[Text]],
    *,
    info: str = "",
    outline: Sequence[tuple[str, int, float]] = (),
    catalog: str = "",
    trailer: str = "",
    rotate: int = 0,
    bold: Mapping[str, int] | None = None,
    letters: Mapping[str, str] | None = None,
    drawn: str = "",
    fields: Sequence[str] = (),
) -> bytes:
    """Return a PDF with the given texts; `outline` holds title, page from 0 and height.

    `bold` says how many letters of a text are bold, `letters` which letter a code stands for,
    `drawn` is drawn on each page. `fields` are those of a form on the first page.
    """
    count = len(pages)
    first = 5  # 1 catalog, 2 pages, 3 font, 4 info
    kids = " ".join(f"{first + 2 * i} 0 R" for i in range(count))
    objects = [
        "",  # the catalog is known last
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        _font("Helvetica", f"/ToUnicode {first + 2 * count + 1} 0 R" if letters else ""),
        f"<< {info} >>",
    ]
    for index, texts in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate {rotate} "
            f"/Resources << /Font << /F 3 0 R /B {first + 2 * count} 0 R >> >> "
            f"/Contents {first + 2 * index + 1} 0 R {'' if index else _ANNOTS} >>"
        )
        content = "\n".join(
            f"BT {left} {low} Td {_shown(text, size, (bold or {}).get(text, 0))} ET"
            for left, low, size, text in texts
        )
        objects.append(_stream(f"{content}\n{drawn}" if drawn else content))
    objects.append(_font("Helvetica-Bold"))
    if letters:
        objects.append(_stream(_letters(letters)))
    if outline:
        catalog += f" /Outlines {len(objects) + 1} 0 R"
        objects.extend(_outline(outline, len(objects) + 1, first))
    numbers = range(len(objects) + 1, len(objects) + 1 + len(fields))
    objects += [f"<< /Type /Annot /Subtype /Widget /P {first} 0 R {field} >>" for field in fields]
    widgets = " ".join(f"{number} 0 R" for number in numbers)
    catalog += f" /AcroForm << /Fields [{widgets}] >>" if fields else ""
    objects[first - 1] = objects[first - 1].replace(_ANNOTS, f"/Annots [{widgets}]")
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {catalog} >>"
    return _file(objects, trailer)


def _shown(text: str, size: float, bold: int) -> str:
    parts = (("B", text[:bold]), ("F", text[bold:]))
    return " ".join(f"/{font} {size} Tf ({part}) Tj" for font, part in parts if part)


def _font(name: str, more: str = "") -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding {more} >>"


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def _letters(letters: Mapping[str, str]) -> str:
    pairs = "\n".join(
        f"<{code.encode('latin-1').hex()}> <{letter.encode('utf-16-be').hex()}>"
        for code, letter in letters.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )


def _outline(outline: Sequence[tuple[str, int, float]], root: int, first: int) -> list[str]:
    last = root + len(outline)
    items = [f"<< /Type /Outlines /First {root + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>"]
    for number, (title, page, top) in enumerate(outline, start=root + 1):
        following = f"/Next {number + 1} 0 R" if number < last else ""
        items.append(
            f"<< /Title ({title}) /Parent {root} 0 R {following} "
            f"/Dest [{first + 2 * page} 0 R /XYZ 0 {top} 0] >>"
        )
    return items


def _file(objects: Sequence[str], trailer: str) -> bytes:
    data = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {size} /Root 1 0 R /Info 4 0 R {trailer} >>\n"
        f"startxref\n{len(data)}\n%%EOF\n"
    )
    return data + end.encode("latin-1")


def encrypted_pdf() -> bytes:
    """Return a PDF that opens with no password we know."""
    zeros = "00" * 32
    secret = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{zeros}> /U <{zeros}> /P -4 >>"
    return small_pdf([[(50, 700, 12, "secret")]], trailer=f"{secret} /ID [<00> <00>]")
