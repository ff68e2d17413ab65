"""What DOCX and PPTX files show from a part of its own: charts and SmartArt."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET

from research_agent.documents.adapters.office import FAULTS
from research_agent.types.documents import Block

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

Xml = Any  # of python-docx or python-pptx, which ship no types


def drawn_parts(
    element: Xml, part: Xml, name: str, relation: str, read: Callable[[ET.Element], Iterator[Block]]
) -> Iterator[Block]:
    """Yield what `read` finds in the parts that elements called `name` show below an element.

    `relation` is the attribute that names such a part. A damaged one costs only itself.
    """
    for shown in element.iter(name):
        with suppress(*FAULTS, ET.ParseError):
            data = part.rels[shown.get(f"{_RELATION}{relation}")].target_part.blob
            yield from read(ET.fromstring(data))  # noqa: S314 (in a child with limits)
