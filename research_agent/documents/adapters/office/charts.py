"""Charts of DOCX and PPTX files: their numbers, in a part of their own, as tables."""

from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree as ET

from research_agent.documents.adapters.office.drawn_parts import DRAWING, Xml, drawn_parts
from research_agent.text.tables import table_text
from research_agent.types.documents import Block

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def charts(element: Xml, part: Xml) -> Iterator[Block]:
    """Return the numbers of the charts that an element of a part shows, of any kind, as stored."""
    return drawn_parts(element, part, f"{_C}chart", "id", _tables)


def _tables(chart: ET.Element) -> Iterator[Block]:
    """Yield a table for each list of names."""
    lines = chart.iterfind(f"{_C}chart/{_C}title//{DRAWING}p")
    title = " ".join(" ".join("".join(line.itertext()) for line in lines).split())
    for names, group in groupby(
        chart.iter(f"{_C}ser"), key=lambda one: _points(one, "cat", "xVal")
    ):
        columns = [(one.findtext(f"{_C}tx//{_C}v"), _points(one, "val", "yVal")) for one in group]
        head = ["", *(name or "" for name, _ in columns)]
        places = sorted(names.keys() | {at for _, values in columns for at in values})
        rows = (
            [names.get(at, ""), *(values.get(at, "") for _, values in columns)] for at in places
        )
        yield Block(table_text([head, *rows], title), kind="table")


def _points(series: ET.Element, *tags: str) -> dict[int, str]:
    """Return the points of a series that are its names, or its values, by their places."""
    for tag in tags:
        for level in series.iterfind(f"{_C}{tag}/*"):  # (of names in several levels the innermost)
            innermost = level.find(f".//{_C}lvl")
            found = (level if innermost is None else innermost).iter(f"{_C}pt")
            return {int(point.get("idx", 0)): point.findtext(f"{_C}v") or "" for point in found}
    return {}
