"""A page of a PDF, drawn with PDFium and read with RapidOCR; called in a child process.

The weights (PP-OCRv6 small) are in RapidOCR's wheel; they know Latin and Chinese writing. The child
refuses every connection, so that nothing can be downloaded in their place.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pypdfium2

from research_agent.errors import DocumentError
from research_agent.network_guard import NetworkGuard

SIDE = 2000  # pixels of a drawn page's longer side: 180 dots an inch of a letter page
MOST_DPI = 300  # of smaller pages
THREADS = 4  # at most
GAP = 0.7  # heights of a line that lie between two paragraphs at least
COLUMN = 0.3  # share of the text's width that a column has at least; what is narrower is a table's
FULL = 0.6  # share of a column's width that its middle line fills


class Line(NamedTuple):
    """A line of a page, in pixels from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def read_page(request: str) -> dict[str, Any]:
    """Return the paragraphs on a page as `text`, and how sure OCR is of them as `sure`, 0 to 1.

    That is the mean over their characters. The request is JSON with `path` and `page`. Raises
    DocumentError where the page cannot be drawn.
    """
    wanted = json.loads(request)
    try:
        with closing(pypdfium2.PdfDocument(wanted["path"])) as document:
            page = document[wanted["page"] - 1]
            scale = min(SIDE / max(page.get_size()), MOST_DPI / 72)
            picture = page.render(scale=scale, grayscale=True).to_numpy()
    except (pypdfium2.PdfiumError, OSError, IndexError, ZeroDivisionError) as error:
        raise DocumentError("it cannot be drawn") from error
    result = _engine()(picture)
    if result.boxes is None or not "".join(result.txts or ()):
        return {"sure": 0.0, "text": []}
    edges = zip(result.boxes.min(axis=1).tolist(), result.boxes.max(axis=1).tolist(), strict=True)
    lines = [Line(text, *low, *high) for text, (low, high) in zip(result.txts, edges, strict=True)]
    sure = sum(len(x) * float(y) for x, y in zip(result.txts, result.scores, strict=True))
    return {"sure": sure / sum(map(len, result.txts)), "text": list(paragraphs(lines))}


@cache
def _engine() -> Any:  # noqa: ANN401 (of RapidOCR)
    NetworkGuard()
    import rapidocr

    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,  # (it turns lines that are upright)
            "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
            "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
            "EngineConfig.onnxruntime.intra_op_num_threads": min(os.cpu_count() or 1, THREADS),
        }
    )


def paragraphs(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the paragraphs of a page, one column after the other.

    >>> rows = [Line("One", 0, 0, 90, 10), Line("two-", 0, 12, 90, 22)]
    >>> list(paragraphs([*rows, Line("fold.", 0, 24, 90, 34), Line("B", 0, 60, 9, 70)]))
    ['One twofold.', 'B']
    """
    height = median(line.bottom - line.top for line in lines)
    for part in _parts(lines, height, COLUMN * _width(lines)):
        yield _joined(part, height)


def _parts(lines: Sequence[Line], height: float, column: float) -> Iterator[Sequence[Line]]:
    """Yield the lines of each paragraph: cut between columns where there are some, else at gaps."""
    strips = _bands(lines, "left", "right", 0)
    cuts = ([[*chain(*strips[:at])], [*chain(*strips[at:])]] for at in range(1, len(strips)))
    columns = (cut for cut in cuts if all(_is_column(side, column) for side in cut))
    bands = next(columns, None) or _bands(lines, "top", "bottom", GAP * height)
    if len(bands) == 1:
        yield lines
        return
    for band in bands:
        yield from _parts(band, height, column)


def _bands(lines: Sequence[Line], start: str, end: str, gap: float) -> list[list[Line]]:
    bands: list[list[Line]] = []
    reach = float("-inf")
    for line in sorted(lines, key=attrgetter(start)):
        if getattr(line, start) - reach > gap:
            bands.append([])
        bands[-1].append(line)
        reach = max(reach, getattr(line, end))
    return bands


def _width(lines: Sequence[Line]) -> float:
    return max(line.right for line in lines) - min(line.left for line in lines)


def _is_column(lines: Sequence[Line], least: float) -> bool:
    middle = median(line.right - line.left for line in lines)
    return len(lines) > 1 and _width(lines) >= least and middle >= FULL * _width(lines)


def _joined(lines: Sequence[Line], height: float) -> str:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        first = rows[-1][0] if rows else line
        if rows and (line.top + line.bottom - first.top - first.bottom) / 2 < height / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    text = ""
    for row in rows:
        words = "  ".join(x.text.strip() for x in sorted(row, key=attrgetter("left")))
        close = not text or (_is_dense(text[-1]) and _is_dense(words[:1]))
        if text.endswith("-") and words[:1].islower():
            text = text[:-1] + words
        else:
            text += words if close else f" {words}"
    return text


def _is_dense(char: str) -> bool:
    return char >= "\u2e80" and not "\uac00" <= char <= "\ud7af"
