"""SmartArt of DOCX and PPTX files: lists, steps and trees, their words in a part of their own."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET

from research_agent.documents.adapters.office import FAULTS
from research_agent.types.documents import Block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_Xml = Any  # of python-docx or python-pptx, which ship no types


def diagrams(element: _Xml, part: _Xml) -> Iterator[Block]:
    """Yield the items of the diagrams that an element of a part shows, each below its own."""
    for shown in element.iter(f"{_D}relIds"):
        with suppress(*FAULTS, ET.ParseError):  # (a damaged one costs only itself)
            data = part.rels[shown.get(_DATA)].target_part.blob
            yield from _items(ET.fromstring(data))  # noqa: S314 (in a child with limits)


def _items(root: ET.Element) -> Iterator[Block]:
    points = {point.get("modelId", ""): point for point in root.iter(f"{_D}pt")}
    links = [
        (int(link.get("srcOrd", 0)), link.get("srcId"), link.get("destId", ""))
        for link in root.iter(f"{_D}cxn")
        if link.get("type", "parOf") == "parOf"
    ]
    pending = [(-1, name) for name, point in points.items() if point.get("type") == "doc"]
    while pending:
        depth, name = pending.pop()
        lines = points.pop(name).iter(f"{_A}p") if name in points else ()
        if text := " ".join(" ".join(" ".join(line.itertext()) for line in lines).split()):
            yield Block(f"{'  ' * depth}- {text}", kind="list")
        below = sorted((link for link in links if link[1] == name), reverse=True)
        pending += [(depth + 1, to) for _, _, to in below if to in points]
