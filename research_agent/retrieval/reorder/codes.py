"""Codes: what a text is about (domain), what it does (task), and how (modifier).

A code names one label of each of these facets, by patterns or by a chat model; a facet that nobody
could tell is empty, which matches none.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.retrieval.reorder.blend import POOL
from research_agent.retrieval.reorder.order import best_first
from research_agent.text.words import fold
from research_agent.types import Hit, Message, chunk_header
from research_agent.types.evidence import fenced

MAX_CHARS = 1500
"""Characters of a text that a model reads to give it a code."""
MAX_TOKENS, LEAST_TOKENS = 60, 40
"""Of a code as JSON; a shorter reply would be cut in the middle."""
WEIGHTS = {"domain": 0.4, "task": 0.4, "modifier": 0.2}
"""How much an equal label counts, facet by facet."""


@dataclass(frozen=True, slots=True)
class Code:
    """The labels of a text; an empty one is unknown."""

    domain: str = ""
    task: str = ""
    modifier: str = ""


def code_of(text: str, *, question: bool = False) -> Code:
    """Return the code of a text by its patterns.

    A facet gets the label of which the most patterns are found, the first of several; of none,
    no label.
    """
    folded, best = fold(text), list[str]()
    for patterns in _book(asked=question).values():
        counts = {
            name: len({match.lastindex for match in pattern.finditer(folded)})
            for name, pattern in patterns.items()
        }
        label = max(counts, key=lambda name: counts[name])
        best.append(label if counts[label] else "")
    return Code(*best)


def labels() -> dict[str, tuple[str, ...]]:
    """Return the labels of each facet."""
    return {facet: tuple(patterns) for facet, patterns in _book(asked=False).items()}


def checked(given: Mapping[str, object]) -> Code:
    """Return the code that a model wrote, without labels that there are not."""
    said = {facet: str(given.get(facet, "")).strip().lower() for facet in WEIGHTS}
    return Code(*(said[facet] if said[facet] in names else "" for facet, names in labels().items()))


def code_schema() -> dict[str, object]:
    """Return the JSON schema of a code; every facet may be "unknown"."""
    return {
        "type": "object",
        "properties": {
            facet: {"type": "string", "enum": [*names, "unknown"]}
            for facet, names in labels().items()
        },
        "required": list(WEIGHTS),
        "additionalProperties": False,
    }


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


def code_agreement(
    query: str,
    hits: Sequence[Hit],
    *,
    better: Callable[[str], Code | None] = lambda _: None,
    judged: int = 0,
) -> dict[str, float]:
    """Return how well the codes of query and chunk agree, by chunk id, for hits to be blended.

    Query and the first `judged` hits get the `better` codes, such as a model's, where there are
    any; the others those of the patterns. A query without any label has nothing to agree with.
    """
    asked = better(query) or code_of(query, question=True)
    agreement: dict[str, float] = {}
    for at, hit in enumerate(best_first(hits)[:POOL] if asked != Code() else ()):
        text = f"{chunk_header(hit.chunk)}\n{hit.chunk.text}"
        code = (better(text) if at < judged else None) or code_of(text)
        agreement[hit.chunk.chunk_id] = code_similarity(asked, code) or 0.0
    return agreement


class ModelCodes:
    """Asks the filter model for codes until its first fault: a fault may take long."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._fault: ModelError | BudgetError | None = None
        self._failed = 0

    def __call__(self, text: str) -> Code | None:
        """Return the code of a text; None where the model gives no label or cannot be asked."""
        code = self._asked(text) if self._fault is None else None
        if code in (None, Code()):
            self._failed += 1
            return None
        return code

    def notes(self) -> tuple[str, ...]:
        """Return what the model did not do."""
        why = f" ({self._fault})" if self._fault else ""
        what = f"blend: no code from the model for {self._failed} texts{why}"
        return (f"{what}; patterns gave theirs",) if self._failed else ()

    def _asked(self, text: str) -> Code | None:
        names = {f"{facet}s": ", ".join(known) for facet, known in labels().items()}
        prompt = self._context.prompts.code.render(**names, text=fenced(text[:MAX_CHARS]))
        try:
            reply = self._context.meter.ask(
                self._context.ports.filterer,
                "filter",
                [Message("user", prompt)],
                max_tokens=MAX_TOKENS,
                least_tokens=LEAST_TOKENS,
                schema=code_schema(),
            )
            given = json.loads(reply.text)
        except (ModelError, BudgetError) as error:
            self._fault = error
            return None
        except ValueError:
            return None
        return checked(given) if isinstance(given, dict) else None
