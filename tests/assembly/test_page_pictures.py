"""Pages are drawn in a child process, and marked where their characters stand."""

import json
from pathlib import Path

import pytest

from research_agent.assembly.page_pictures import PagePictures, draw
from research_agent.documents.adapters.sandbox import SandboxedFunction
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import PageRequest
from tests.documents.small_pdf import small_pdf

LINES = [(50.0, 700.0, 12.0, "The first line."), (50.0, 600.0, 12.0, "The second line.")]


def test_boxes_are_where_the_words_are(tmp_path: Path) -> None:
    """One box a line, from the upper left corner, also of a page that lies."""
    for rotate, size in ((0, (1000, 1334)), (90, (1000, 750))):
        path = tmp_path / f"{rotate}.pdf"
        path.write_bytes(small_pdf([LINES], rotate=rotate))
        with PagePictures(DocumentSettings()) as pictures:
            picture = pictures.draw(PageRequest(str(path), 1, ((0, 15), (0, 900), (50, 3))))
        first, whole, nothing = picture.boxes

        assert size == (picture.width, picture.height)
        assert "The first line." in picture.text
        assert (1, 2, 0) == (len(first), len(whole), len(nothing))
        if rotate:
            assert 740 < first[0].left < 770  # (the library reads the lower line first)
            assert first[0].height > 5 * first[0].width
        else:
            assert 75 < first[0].left < 90
            assert 145 < first[0].top < 170
            assert first[0].width > 5 * first[0].height


@pytest.mark.parametrize(
    ("data", "page", "problem"),
    [
        (b"%PDF-1.4 nothing", 1, "not a readable PDF"),
        (small_pdf([LINES]), 2, "no page 2 any more"),
        (None, 1, "vanished"),
    ],
)
def test_what_cannot_be_drawn(tmp_path: Path, data: bytes | None, page: int, problem: str) -> None:
    """The reason is told, and nothing else goes wrong."""
    path = tmp_path / "a.pdf"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(DocumentError, match=problem):
        draw(json.dumps({"path": str(path), "page": page, "spans": []}))


def test_the_child_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out of it is a picture in base64, or nothing."""
    good = {"kind": "png", "data": "iVBORw0KGgo=", "width": 1, "height": 1, "text": "", "boxes": []}
    for wrong in ({"kind": "svg"}, {"data": '"><script>'}, {"data": "PHN2Zz4="}, {"width": "x"}):
        reply = {"value": {**good, **wrong}}
        monkeypatch.setattr(SandboxedFunction, "call", lambda *_, reply=reply: reply)
        with (
            PagePictures(DocumentSettings()) as pictures,
            pytest.raises(DocumentError, match="no picture"),
        ):
            pictures.draw(PageRequest("a.pdf", 1))
