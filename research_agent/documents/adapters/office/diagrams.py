"""SmartArt of DOCX and PPTX files: lists, steps and trees, their words in a part of their own."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from research_agent.documents.adapters.office.drawn_parts import DRAWING, Xml, drawn_parts
from research_agent.types.documents import Block

_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"


def diagrams(element: Xml, part: Xml) -> Iterator[Block]:
    """Return the items of the diagrams that an element of a part shows, each below its own."""
    return drawn_parts(element, part, f"{_D}relIds", "dm", _items)


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
        lines = points.pop(name).iter(f"{DRAWING}p") if name in points else ()
        if text := " ".join(" ".join(" ".join(line.itertext()) for line in lines).split()):
            yield Block(f"{'  ' * depth}- {text}", kind="list")
        below = sorted((link for link in links if link[1] == name), reverse=True)
        pending += [(depth + 1, to) for _, _, to in below if to in points]
