"""Character errors and seconds of OCR on ten made scans: pages whose text is known, as pictures.

They are made, not found: printed pages, turned by up to one degree, blurred, with noise and JPEG.
"""

import json
import re
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pypdfium2
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from research_agent.assembly.scanned_pages import MEMORY_MB
from research_agent.documents.adapters.sandbox import SandboxedFunction

TEXTS = Path(__file__).parent / "scans"
NIST = (  # pages of running text: file, page from 1, dots an inch, degrees
    ("NIST.FIPS.203.pdf", 12, 200, 0.4),
    ("NIST.SP.800-227.pdf", 14, 150, -0.6),
    ("NIST.IR.8545.pdf", 10, 150, 0.8),
    ("NIST.IR.8547.ipd.pdf", 9, 200, -1.0),
    ("NIST.FIPS.205.pdf", 13, 150, 0.3),
)
DRAWN = (  # text, font, characters a line, columns, dots an inch, degrees
    ("indonesia", "LiberationSerif-Regular.ttf", 78, 1, 150, 0.7),
    ("indonesia", "DejaVuSans.ttf", 34, 2, 200, -0.5),
    ("chinese", "gbsn00lp.ttf", 34, 1, 200, 0.5),
    ("chinese", "wqy-microhei.ttc", 34, 1, 150, -0.4),
    ("chinese", "wqy-microhei.ttc", 15, 2, 200, 0.3),
)


@dataclass
class Scan:
    """A page as a picture, and what is written on it."""

    name: str
    truth: str
    picture: Image.Image
    dpi: int


def scans(data: Path, fonts: Path) -> Iterator[Scan]:
    """Yield the ten pages; fonts are searched below a folder."""
    for name, number, dpi, degrees in NIST:
        page = pypdfium2.PdfDocument(data / "nist-pqc" / "pdf" / name)[number - 1]
        drawn = page.render(scale=dpi / 72, grayscale=True).to_pil()
        truth = in_lines(page.get_textpage())
        yield Scan(f"{name}, page {number}", truth, worn(drawn, degrees), dpi)
    for name, font, width, columns, dpi, degrees in DRAWN:
        truth = (TEXTS / f"{name}.txt").read_text("utf-8")
        path = next(fonts.rglob(font))
        drawn = written(truth, path, width, columns, dpi)
        label = f"{name}, {path.stem}, {columns} column{'s' * (columns > 1)}"
        yield Scan(label, truth, worn(drawn, degrees), dpi)


def in_lines(page: pypdfium2.PdfTextPage) -> str:
    """Return a page's characters line by line, as printed; PDFium's order is that of drawing.

    Characters whose boxes share more than half of the lower one's height are in one line.
    """
    lines: list[list[tuple[float, str]]] = []
    low, high = 0.0, 0.0
    signs = ((page.get_text_range(at, 1), at) for at in range(page.count_chars()))
    boxes = [(*page.get_charbox(at, loose=True), sign) for sign, at in signs if sign.strip()]
    for left, bottom, _, top, sign in sorted(boxes, key=lambda box: -box[1] - box[3]):
        if not lines or min(top, high) - max(bottom, low) <= min(top - bottom, high - low) / 2:
            lines.append([])
            low, high = bottom, top
        lines[-1].append((left, sign))
    ordered = (sorted(line, key=itemgetter(0)) for line in lines)
    return "\n".join("".join(sign for _, sign in line) for line in ordered)


def written(text: str, font: Path, width: int, columns: int, dpi: int) -> Image.Image:
    """Return a page of A4 with a text of 11 points in columns."""
    size = round(11 * dpi / 72)
    letters = ImageFont.truetype(font, size)
    page = Image.new("L", (dpi * 83 // 10, dpi * 117 // 10), 255)
    draw, lines = ImageDraw.Draw(page), list[str]()
    for paragraph in text.strip().split("\n\n"):
        lines += [*broken(paragraph, width), ""]
    each = -(-len(lines) // columns)
    for number, line in enumerate(lines):
        left = dpi + (number // each) * (dpi * 13 // 4)
        draw.text((left, dpi + (number % each) * size * 1.4), line, font=letters, fill=20)
    return page


def broken(paragraph: str, width: int) -> list[str]:
    """Return the lines of a paragraph; a text without spaces is broken anywhere."""
    units = paragraph.split(" ") if " " in paragraph else list(paragraph)
    between, lines = " " if " " in paragraph else "", [units[0]]
    for unit in units[1:]:
        if len(lines[-1]) + len(between) + len(unit) <= width:
            lines[-1] += between + unit
        else:
            lines.append(unit)
    return lines


def worn(page: Image.Image, degrees: float) -> Image.Image:
    """Return a page as a scanner may give it, always the same."""
    turned = page.convert("L").rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    values = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.6)), dtype=np.float32)
    noise = np.random.default_rng(7).normal(0, 8, values.shape)
    noisy = Image.fromarray(np.clip(values * 0.92 + noise, 0, 255).astype(np.uint8))
    stream = BytesIO()
    noisy.save(stream, "JPEG", quality=60)
    return Image.open(stream)


def errors(truth: str, read: str) -> float:
    """Return the edit distance as a share of the truth's characters, spaces left out."""
    wanted, got = (np.array([ord(c) for c in normal(text)]) for text in (truth, read))
    row = np.arange(len(got) + 1)
    for number, char in enumerate(wanted, start=1):
        best = np.minimum(row[1:] + 1, row[:-1] + (got != char))
        best = np.concatenate(([number], best)) - np.arange(len(got) + 1)
        row = np.minimum.accumulate(best) + np.arange(len(got) + 1)
    return float(row[-1]) / len(wanted)


def normal(text: str) -> str:
    """Return a text without spaces, hyphens at line ends and the shapes of quotes and dashes."""
    text = re.sub(r"[-\u00ad\ufffe\u2010]\s*\n\s*(?=[a-z])|\ufffe|\u0002\s*", "", text)
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", unicodedata.normalize("NFKC", text))
    text = text.translate(str.maketrans("\u2018\u2019\u201c\u201d", "''\"\""))
    return "".join(text.split())


def run(data: Path, fonts: Path) -> list[dict[str, object]]:
    """Read every scan as indexing would; the first page is read twice, to start the child."""
    rows: list[dict[str, object]] = []
    target = "research_agent.documents.adapters.ocr:read_page"
    with (
        SandboxedFunction(target, seconds=600, memory_mb=MEMORY_MB) as ocr,
        TemporaryDirectory() as folder,
    ):
        for scan in scans(data, fonts):
            path = Path(folder) / "scan.pdf"
            scan.picture.save(path, "PDF", resolution=scan.dpi)
            request = json.dumps({"path": str(path), "page": 1})
            if not rows:
                ocr.call(request)
            began = time.perf_counter()
            found = cast("dict[str, Any]", ocr.call(request)["value"])
            seconds = time.perf_counter() - began
            read = "\n".join(found["text"])
            rows.append(
                {
                    "scan": scan.name,
                    "dpi": scan.dpi,
                    "characters": len(normal(scan.truth)),
                    "errors": round(errors(scan.truth, read), 4),
                    "sure": round(found["sure"], 3),
                    "seconds": round(seconds, 1),
                }
            )
    return rows
