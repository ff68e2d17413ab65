"""Codes: what a text is about (domain), what it does (task), and how (modifier).

A code names one label of each of these facets, by patterns; a facet that no pattern tells is empty,
which matches none.
"""

import re
from collections.abc import Sequence
from configparser import ConfigParser
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files

from research_agent.retrieval.reorder.blend import POOL
from research_agent.text.words import fold
from research_agent.types import Hit, chunk_header
from research_agent.types.fusion import best_first

WEIGHTS = {"domain": 0.4, "task": 0.4, "modifier": 0.2}
"""How much an equal label counts, facet by facet."""


@dataclass(frozen=True, slots=True)
class Code:
    """The labels of a text; an empty one is unknown."""

    domain: str = ""
    task: str = ""
    modifier: str = ""


def code_of(text: str, *, question: bool = False) -> Code:
    """Return the code of a text: of each facet the label of which the most patterns are found."""
    folded, best = fold(text), list[str]()
    for patterns in _book(asked=question).values():
        counts = {
            name: len({match.lastindex for match in pattern.finditer(folded)})
            for name, pattern in patterns.items()
        }
        label = max(counts, key=lambda name: counts[name])
        best.append(label if counts[label] else "")
    return Code(*best)


def code_similarity(asked: Code, code: Code) -> float | None:
    """Return the weight of the labels that both share, as a share of the weight asked for.

    In [0, 1]; a label that the chunk does not have is no match. None where nothing was asked for.
    """
    pairs = zip(WEIGHTS.values(), astuple(asked), astuple(code), strict=True)
    rows = [(weight, wanted == found) for weight, wanted, found in pairs if wanted]
    total = sum(weight for weight, _ in rows)
    return sum(weight for weight, same in rows if same) / total if total else None


@cache
def _book(*, asked: bool) -> dict[str, dict[str, re.Pattern[str]]]:
    tables = ConfigParser(delimiters=":", interpolation=None)
    data = files("research_agent") / "data" / "topic_labels.ini"
    tables.read_string(data.read_text(encoding="utf-8"))
    sections = {facet: tables[facet] for facet in WEIGHTS}
    if asked:
        sections["task"] = tables["task asked"]
    return {
        facet: {name: _read(patterns) for name, patterns in section.items()}
        for facet, section in sections.items()
    }


def _read(patterns: str) -> re.Pattern[str]:
    parts = " ".join(patterns.split()).split(",")
    listed = "|".join(f"({part.strip()})" for part in parts)
    return re.compile(rf"(?<!\w)(?:{listed})")


def code_agreement(query: str, hits: Sequence[Hit]) -> dict[str, float]:
    """Return how well the codes of query and chunk agree, by chunk id, for hits to be blended.

    A query without any label has nothing to agree with.
    """
    asked = code_of(query, question=True)
    return {
        hit.chunk.chunk_id: code_similarity(asked, code_of(_readable(hit))) or 0.0
        for hit in (best_first(hits)[:POOL] if asked != Code() else ())
    }


def _readable(hit: Hit) -> str:
    return f"{chunk_header(hit.chunk)}\n{hit.chunk.text}"
