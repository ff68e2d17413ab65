"""The documents that a result cites, as BibTeX or CSL-JSON; and a result as Markdown."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from research_agent.text.visible import escaped_markdown
from research_agent.types.result import Citation, ResearchResult

Style = Literal["bibtex", "csl"]
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "&%$#_{}"
}
_KEY = re.compile(r"\[(c\d+)\]")


def bibliography(citations: Sequence[Citation], style: Style) -> str:
    """Return an entry for each cited document, in the order of the citations.

    Raises ValueError for another style.
    """
    documents = {one.doc_id: one for one in reversed(citations)}
    first = [documents[name] for name in dict.fromkeys(one.doc_id for one in citations)]
    if style == "bibtex":
        return "".join(map(_bibtex, first))
    if style == "csl":
        return json.dumps([_csl(one) for one in first], indent=2, ensure_ascii=False) + "\n"
    raise ValueError(f"style {style!r}: use bibtex or csl")


def markdown_of(result: ResearchResult) -> str:
    """Return a result as Markdown: question, answer, a footnote for each citation, what it lacks.

    What documents and models have written is escaped: no markup, links or HTML of theirs survives.
    """
    known = {one.key for one in result.citations}
    answer = "".join(
        (f"[^{part}]" if part in known else escaped_markdown(f"[{part}]"))
        if at % 2
        else escaped_markdown(part)
        for at, part in enumerate(_KEY.split(result.answer))
    )
    notes = [f'[^{one.key}]: {_flat(one.place)}: "{_flat(one.quote)}"' for one in result.citations]
    lacks = [f"- {_flat(text)}" for text in result.unanswered]
    parts = [f"## {_flat(result.question)}", answer]
    parts += ["Not answered:", "\n".join(lacks)] if lacks else []
    parts += ["\n".join(notes)] if notes else []
    return "\n\n".join(parts) + "\n"


def _flat(text: str) -> str:
    return escaped_markdown(" ".join(text.split()))


def _bibtex(one: Citation) -> str:
    fields = {
        "title": one.title or one.doc_id,
        "author": " and ".join(f"{{{_tex(name)}}}" for name in one.authors),
        "date": one.date,
        "doi": one.doi,
        "url" if "://" in one.source else "file": one.source,
    }
    key = re.sub(r"[^A-Za-z0-9:._-]+", "-", one.doc_id).strip("-") or one.chunk_id
    lines = [
        f"  {name} = {{{text if name == 'author' else _tex(text)}}},"
        for name, text in fields.items()
        if text
    ]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in " ".join(text.split()))


def _csl(one: Citation) -> Mapping[str, object]:
    """Return an entry of CSL-JSON; names are literal, since nobody says which part is which."""
    date = [int(part) for part in one.date.split("-")] if one.date else []
    entry: dict[str, object] = {
        "id": one.doc_id,
        "type": "document",
        "title": one.title or one.doc_id,
        "author": _literal(one.authors),
        "issued": {"date-parts": [date]} if date else None,
        "DOI": one.doi,
        "URL": one.source if "://" in one.source else "",
    }
    return {name: value for name, value in entry.items() if value}


def _literal(names: Iterable[str]) -> list[dict[str, str]]:
    return [{"literal": name} for name in names]
