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
    for citation in documents:
        fields = {
            "title": _tex(citation.title or citation.doc_id),
            "author": " and ".join(f"{{{_tex(name)}}}" for name in citation.authors),
            "date": _tex(citation.date),
            "doi": _tex(citation.doi),
            "url" if "://" in citation.source else "file": _tex(citation.source),
        }
        key = re.sub(r"[^A-Za-z0-9:._-]+", "-", citation.doc_id).strip("-") or citation.chunk_id
        if key.lower() in keys:  # (of a name in other letters little is left)
            key += f"-{citation.chunk_id}"
        keys.add(key.lower())
        lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
        yield "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _tex(text: str) -> str:
    return " ".join(text.split()).translate(_TEX)


def _csl(citation: "Citation") -> Mapping[str, object]:
    """Return an entry of CSL-JSON; names are literal, since nobody says which part is which."""
    date = [int(part) for part in citation.date.split("-")] if citation.date else []
    entry: dict[str, object] = {
        "id": citation.doc_id,
        "type": "document",
        "title": citation.title or citation.doc_id,
        "author": [{"literal": name} for name in citation.authors],
        "issued": {"date-parts": [date]} if date else None,
        "DOI": citation.doi,
        "URL": citation.source if "://" in citation.source else "",
    }
    return {name: value for name, value in entry.items() if value}
