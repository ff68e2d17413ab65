"""The documents that a result cites, as BibTeX or CSL-JSON."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from research_agent.types.result import Citation

_TEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {sign: f"\\{sign}" for sign in "&%$#_{}"}
)


def bibliography(citations: "Sequence[Citation]", style: str) -> str:
    """Return an entry for each cited document, in their order; raises ValueError."""
    first: dict[str, Citation] = {}
    for one in citations:
        first.setdefault(one.doc_id, one)
    if style == "bibtex":
        return "".join(_bibtex(first.values()))
    if style == "csl":
        return json.dumps([*map(_csl, first.values())], indent=2, ensure_ascii=False) + "\n"
    raise ValueError(f"style {style!r}: use bibtex or csl")


def _bibtex(documents: "Iterable[Citation]") -> Iterator[str]:
    keys = set[str]()
    for one in documents:
        fields = {
            "title": _tex(one.title or one.doc_id),
            "author": " and ".join(f"{{{_tex(name)}}}" for name in one.authors),
            "date": _tex(one.date),
            "doi": _tex(one.doi),
            "url" if "://" in one.source else "file": _tex(one.source),
        }
        key = re.sub(r"[^A-Za-z0-9:._-]+", "-", one.doc_id).strip("-") or one.chunk_id
        if key.lower() in keys:  # (of a name in other letters little is left)
            key += f"-{one.chunk_id}"
        keys.add(key.lower())
        lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
        yield "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _tex(text: str) -> str:
    return " ".join(text.split()).translate(_TEX)


def _csl(one: "Citation") -> Mapping[str, object]:
    """Return an entry of CSL-JSON; names are literal, since nobody says which part is which."""
    date = [int(part) for part in one.date.split("-")] if one.date else []
    entry: dict[str, object] = {
        "id": one.doc_id,
        "type": "document",
        "title": one.title or one.doc_id,
        "author": [{"literal": name} for name in one.authors],
        "issued": {"date-parts": [date]} if date else None,
        "DOI": one.doi,
        "URL": one.source if "://" in one.source else "",
    }
    return {name: value for name, value in entry.items() if value}
