"""Formulas and signs of DOCX and PPTX files in a line of text: `x^2=(a+b)/c`, `∑_{i=1}^{n}i`."""

from collections.abc import Callable, Sequence
from typing import Any

from research_agent.text.indices import bracketed, marked

DEPTH = 50  # of a formula nested deeper than this nothing is taken
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_Element = Any  # of lxml, which ships no types
_SYMBOL = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB3: "≥",
    0xB4: "\u00d7", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xCE: "∈",
}  # fmt: skip
"""Codes of the font Symbol; those of digits and most marks are as in ASCII."""
_WINGDINGS = {0x6F: "☐", 0xA8: "☐", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"}


def formula_text(element: _Element, depth: int = 0) -> str:
    """Return a formula with its exponents and indices between marks (see `text.indices`)."""
    name = str(element.tag).removeprefix(MATH)
    if name == "t":
        return element.text or ""
    if depth > DEPTH or name.endswith("}del"):
        return ""
    below = [(child, formula_text(child, depth + 1)) for child in element]
    if shape := _SHAPES.get(name):
        parts = [text for child, text in below if child.tag in (f"{MATH}e", f"{MATH}mr")]
        return shape(element, "".join(text for _, text in below), parts)
    return "".join(text for _, text in below)


def _delimited(element: _Element, _: str, parts: Sequence[str]) -> str:
    inner = _sign(element, "sepChr", "|").join(parts)
    return f"{_sign(element, 'begChr', '(')}{inner}{_sign(element, 'endChr', ')')}"


def _root(_: _Element, text: str, parts: Sequence[str]) -> str:
    inner = "".join(parts)
    return f"{text.removesuffix(inner)}√{bracketed(inner)}"


def _sign(element: _Element, name: str, default: str) -> str:
    found = element.find(f"*/{MATH}{name}")
    return default if found is None else str(found.get(f"{MATH}val") or "")


_SHAPES: dict[str, Callable[[_Element, str, Sequence[str]], str]] = {
    "sup": lambda _, text, __: marked("^", text),
    "sub": lambda _, text, __: marked("_", text),
    "lim": lambda _, text, __: marked("_", text),
    "num": lambda _, text, __: bracketed(text),
    "den": lambda _, text, __: f"/{bracketed(text)}",
    "d": _delimited,
    "deg": lambda _, text, __: marked("^", text),
    "rad": _root,
    "nary": lambda element, text, _: _sign(element, "chr", "∫") + text,
    "fName": lambda _, text, __: f"{text} ",
    "mr": lambda _, __, parts: ", ".join(parts),
    "m": lambda _, __, parts: "; ".join(parts),
    "eqArr": lambda _, __, parts: "; ".join(parts),
}
"""How the elements of a formula are written: from one, its text, and those of its main parts."""


def symbol(font: str, code: str) -> str:
    """Return the character of a code, in hexadecimal, of a font of signs; "" for one unknown.

    >>> symbol("Symbol", "F0B1"), symbol("Wingdings", "F0FE"), symbol("Arial", "00B0")
    ('±', '☑', '°')
    """
    number = int(code, 16)
    match font:
        case "Wingdings":
            return _WINGDINGS.get(number & 0xFF, "")
        case "Symbol":
            return _SYMBOL.get(number & 0xFF, chr(number & 0x7F))
        case _:
            return chr(number)
