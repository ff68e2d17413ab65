"""Formulas of web pages (MathML) in a line of text: `x^2=(a+b)/c`."""

from collections.abc import Callable, Sequence
from unicodedata import category

from selectolax.lexbor import LexborNode

from research_agent.text.indices import bracketed, marked

DEPTH = 50  # of a formula nested deeper than this the bare signs are taken


def formula_text(math: LexborNode) -> str:
    """Return a formula as its page spells it out, mostly in TeX, else as it is drawn.

    Exponents and indices are between marks (see `text.indices`).
    """
    spelled = math.attributes.get("alttext")
    for annotation in math.css("annotation"):
        if not spelled and "tex" in (annotation.attributes.get("encoding") or "").lower():
            spelled = annotation.text()
    return spelled or _drawn(math)


def _drawn(node: LexborNode, depth: int = 0) -> str:
    parts = [child for child in node.iter() if child.tag not in ("annotation", "annotation-xml")]
    if not parts or depth > DEPTH:
        return " ".join(node.text().split())
    texts = [_drawn(part, depth + 1) for part in parts]
    for at, part in enumerate(parts[1:-1], start=1):
        if part.tag == "mo" and category(texts[at][:1] or " ") == "Sm":
            texts[at] = f" {texts[at]} "
    if node.tag == "msqrt":
        return f"√{bracketed(''.join(texts))}"
    write, count = _SHAPES.get(node.tag or "", (_BETWEEN.get(node.tag or "", "").join, len(texts)))
    return write(texts) if len(texts) == count else " ".join(texts)


_SHAPES: dict[str, tuple[Callable[[Sequence[str]], str], int]] = {
    "mfrac": (lambda of: f"{bracketed(of[0])}/{bracketed(of[1])}", 2),
    "mroot": (lambda of: f"{marked('^', of[1])}√{bracketed(of[0])}", 2),
    "msup": (lambda of: of[0] + marked("^", of[1]), 2),
    "mover": (lambda of: of[0] + marked("^", of[1]), 2),
    "msub": (lambda of: of[0] + marked("_", of[1]), 2),
    "munder": (lambda of: of[0] + marked("_", of[1]), 2),
    "msubsup": (lambda of: of[0] + marked("_", of[1]) + marked("^", of[2]), 3),
    "munderover": (lambda of: of[0] + marked("_", of[1]) + marked("^", of[2]), 3),
}
"""How the elements of a formula are written, and of how many parts they are."""
_BETWEEN = {"mtable": "; ", "mtr": ", "}
"""What is written between the rows of a matrix, and between their entries."""
