"""Elements of DOCX files -> their text."""

import re
from collections.abc import Callable
from typing import Any

from research_agent.documents.adapters.office.formulas import MATH, formula_text, symbol
from research_agent.documents.adapters.office.numbering import value
from research_agent.text.indices import Side, marked, struck, written

Element = Any  # of lxml, or a style or document of python-docx, which ship no types

DEPTH = 50  # of tables and boxes nested deeper than this nothing is taken
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NOTES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
LEFT_OUT = {f"{W}del", f"{W}moveFrom", f"{W}pPr", f"{W}rPr", f"{W}instrText", _FALLBACK}
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_SIDES: dict[str, Side] = {"superscript": "^", "subscript": "_"}
_ON = {"1", "true", "on"}


def text_of(element: Element) -> str:
    """Return the lines of text below an element."""
    text = written(_marked(element))
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(filter(None, lines))


def _marked(element: Element, depth: int = 0) -> str:
    """Return the text below an element, with small type between marks."""
    parts: list[str] = []
    for child in element:
        tag = child.tag
        if tag in _WRITTEN:
            parts.append(_WRITTEN[tag](child))
        elif tag in _MARKS:
            parts.append(_MARKS[tag])
        elif tag not in LEFT_OUT and depth < DEPTH:
            parts.append(_shaped(child, _marked(child, depth + 1)))
    return "".join(parts)


def _shaped(element: Element, text: str) -> str:
    """Return the text of an element as what it is: a paragraph, small type, struck or hidden."""
    if element.tag == f"{W}p":
        return f"\n{text}\n"
    if _is_on(element, "rPr", "vanish"):
        return ""
    if _is_on(element, "rPr", "strike") or _is_on(element, "rPr", "dstrike"):
        text = struck(text)
    side = _SIDES.get(value(element, "rPr/vertAlign"))
    return marked(side, text) if side and text.strip() else text


def _is_on(element: Element, below: str, name: str) -> bool:
    found = element.find(f"{W}{below}/{W}{name}")
    return found is not None and found.get(f"{W}val", "1") in _ON


def _field(data: Element) -> str:
    """Return what a box to tick or a list to choose from shows, which is in no run of text."""
    box = data.find(f"{W}checkBox")
    if box is not None:
        name = "default" if box.find(f"{W}checked") is None else "checked"
        return "☒" if _is_on(data, "checkBox", name) else "☐"
    entries = data.findall(f"{W}ddList/{W}listEntry")
    chosen = value(data, "ddList/result") or value(data, "ddList/default") or "0"
    return "".join(str(entry.get(f"{W}val")) for entry in entries[int(chosen) :][:1])


_WRITTEN: dict[str, Callable[[Element], str]] = {
    f"{W}t": lambda element: element.text or "",
    f"{W}sym": lambda sign: symbol(sign.get(f"{W}font", ""), sign.get(f"{W}char", "20")),
    f"{W}ffData": _field,
    f"{MATH}oMath": formula_text,
    **dict.fromkeys(NOTES, lambda element: marked("^", element.text or "")),
}
"""Elements that hold text, and how it is written."""
