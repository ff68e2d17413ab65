"""A page of a PDF, drawn with PDFium and read with RapidOCR; called in a child process.

The weights (PP-OCRv6 small) are in RapidOCR's wheel; they know Latin and Chinese writing. The child
refuses every connection, so that nothing can be downloaded in their place.
"""

import json
import os
from contextlib import closing
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2

from research_agent.documents.ocr_text import OcrLine
from research_agent.errors import DocumentError
from research_agent.network_guard import NetworkGuard

SIDE = 2000  # pixels of a drawn page's longer side: 180 dots an inch of a letter page
MOST_DPI = 300  # of smaller pages
THREADS = 4  # at most


def read_page(request: str) -> list[tuple[Any, ...]]:
    """Return the lines on a page, each as the fields of an OcrLine; JSON has `path` and `page`.

    Raises DocumentError where the page cannot be drawn.
    """
    wanted = json.loads(request)
    try:
        with closing(pypdfium2.PdfDocument(wanted["path"])) as document:
            page = document[wanted["page"] - 1]
            scale = min(SIDE / max(page.get_size()), MOST_DPI / 72)
            picture = page.render(scale=scale, grayscale=True).to_numpy()
    except (pypdfium2.PdfiumError, OSError, IndexError, ZeroDivisionError) as error:
        raise DocumentError("it cannot be drawn") from error
    found = _engine()(picture)
    if found.boxes is None or not found.txts:
        return []
    return [
        astuple(OcrLine(text, float(score), *_edges(box)))
        for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
    ]


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


def _edges(box: Any) -> tuple[float, float, float, float]:  # noqa: ANN401 (an array of corners)
    left, top = box.min(axis=0)
    right, bottom = box.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
