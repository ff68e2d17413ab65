"""What a reader sees of an element of a web page."""

import re

from selectolax.lexbor import LexborNode

from research_agent.documents.adapters.markup.html_formulas import formula_text
from research_agent.text.indices import CLOSE, OPEN, Side, marked, written

DEPTH = 150  # of elements nested deeper than this only the bare text is taken

_DROPPED = frozenset({
    "script", "style", "nav", "footer", "template", "noscript", "svg",
    "iframe", "object", "input", "button", "select", "option", "textarea", "head", "dialog",
    "canvas", "audio", "video",
})  # fmt: skip
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "listing", "main",
    "menu", "ol", "p", "plaintext", "pre", "search", "section", "slot", "summary", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
})  # fmt: skip
"""Elements that begin a line (HTML Standard, "Rendering"); all others are within one."""
_NAMES = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "summary"])
_SIDES: dict[str, Side] = {"sup": "^", "sub": "_"}
MARKED = frozenset([*_SIDES, "del", "s", "strike"])
"""Elements whose text is marked: raised, lowered or struck out."""
_TEXTS = frozenset(["main", "article", "section"])
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "doc-pagebreak"})
"""Roles of what is not text, as the number of a book's page."""
_NUMBER = re.compile(rf"{OPEN}\s*([0-9]{{1,9}})\s*{CLOSE}")
"""The number of a line of code."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def is_hidden(node: LexborNode) -> bool:
    """Return whether no reader sees an element, or it is no text of the page.

    A panel that opens at a click is text, and so is the name on the button in a heading.
    """
    if node.tag == "button" and node.parent is not None and node.parent.tag in _NAMES:
        return False
    if node.tag in _DROPPED:
        return True
    attributes = node.attributes
    return (
        attributes.get("role") in _ROLES
        or attributes.get("epub:type") == "pagebreak"
        or (node.tag == "aside" and not _is_within_text(node))
        or (_is_closed(node) and not _is_panel(node))
    )


def _is_closed(node: LexborNode) -> bool:
    """Return whether an element is not shown as the page is loaded."""
    attributes = node.attributes
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden") == "true"
        or (bool(_HIDDEN_STYLE.search(attributes.get("style") or "")) and not _holds_formula(node))
    )


def _is_panel(node: LexborNode) -> bool:
    """Return whether an element opens at a click on its name."""
    role = node.attributes.get("role")
    return role == "tabpanel" or (role == "region" and "aria-labelledby" in node.attributes)


def _holds_formula(node: LexborNode) -> bool:
    """Return whether an element is a formula for programs, of which people see a picture."""
    return node.first_child is not None and node.first_child.tag == "math"


def _is_within_text(node: LexborNode) -> bool:
    """Return whether an element belongs to the text of a page: a note, not what is beside it."""
    if "epub:type" in node.attributes:  # (in a book it is a note)
        return True
    above = node.parent
    while above is not None and above.tag not in _TEXTS:
        above = above.parent
    return above is not None


def is_mark(node: LexborNode) -> bool:
    """Return whether an element is the sign beside a name that links to its own place."""
    parent = node.parent
    around = (parent, parent.parent) if parent is not None else ()
    if node.tag != "a" or not any(above is not None and above.tag in _NAMES for above in around):
        return False
    text = node.text().strip()
    own = (node.attributes.get("href") or "").startswith("#")
    return own and bool(text) and not any(map(str.isalnum, text))


def line(node: LexborNode) -> str:
    """Return what a reader sees of an element, in one line."""
    return " ".join(written(visible(node)).split())


def visible(node: LexborNode, depth: int = 0) -> str:
    """Return what a reader sees of an element: spaces between its blocks, marks around indices."""
    parts: list[str] = []
    child = node.first_child
    while child is not None:
        tag = child.tag or ""
        if child.is_text_node:
            parts.append(child.text_content or "")
        elif sign := box(child):
            parts.append(sign)
        elif child.is_element_node and not is_hidden(child) and not is_mark(child):
            text = visible(child, depth + 1) if depth < DEPTH else child.text(separator=" ")
            if tag in MARKED:
                text = as_marked(tag, text)
            elif tag == "math":
                text = formula_text(child)
            parts.append(f" {text} " if tag in BLOCKS or tag == "br" else text)
        child = child.next
    return "".join(parts)


def as_marked(tag: str, text: str) -> str:
    """Return the text of an element that is raised, lowered or struck out, with marks around it."""
    if tag in _SIDES:
        return marked(_SIDES[tag], text)
    return f"~~{text.strip()}~~" if text.strip() else text


def box(node: LexborNode) -> str:
    """Return the sign of a task that is done or open; empty for another element.

    Boxes that a reader may tick belong to the page's own controls.
    """
    if node.tag != "input":
        return ""
    attributes = node.attributes
    if attributes.get("type") != "checkbox" or "disabled" not in attributes:
        return ""
    return "[x] " if "checked" in attributes else "[ ] "


def code(pre: LexborNode) -> str:
    """Return the lines of a `pre` as they are shown, without the numbers that count them."""
    parts: list[str] = []
    _add_code(pre, parts)
    lines = "".join(parts).strip("\n").rstrip().split("\n")
    counts = [int(match[1]) for line in lines if (match := _NUMBER.match(line))]
    rest = [_NUMBER.sub("", line) for line in lines]
    first = counts[0] if counts else 0
    if any(rest) and counts == [*range(first, first + len(lines))]:
        lines = rest
    return "\n".join(line.replace(OPEN, "").replace(CLOSE, "") for line in lines)


def _add_code(node: LexborNode, parts: list[str], depth: int = 0) -> None:
    """Add the text below `node`; a number that begins a line is between marks."""
    child = node.first_child
    while child is not None:
        begins = not parts or parts[-1].endswith("\n")
        if child.is_text_node and child.text_content:
            parts.append(child.text_content)
        elif child.tag == "br":
            parts.append("\n")
        elif child.is_element_node and depth >= DEPTH:
            parts.append(child.text())
        elif child.is_element_node and not is_hidden(child):
            is_line = child.tag in BLOCKS and child.tag not in ("td", "th")
            is_number = begins and not is_line and child.text().strip().isdecimal()
            if is_number or (is_line and not begins):
                parts.append(OPEN if is_number else "\n")
            _add_code(child, parts, depth + 1)
            if is_number or (is_line and parts and not parts[-1].endswith("\n")):
                parts.append(CLOSE if is_number else "\n")
        child = child.next
