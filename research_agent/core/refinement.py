"""Read a planner model's proposal for better queries, and let it through or block it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["keep", "rewrite", "decompose", "disambiguate"]
MAX_QUERIES = 3
MAX_QUERY_CHARS = 300
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NAME = re.compile(r"\b(?=\w*[A-Z])(?!(?:[A-Z][a-z]+)\b)[\w-]+\b")
"""Words with a capital that is not only their first letter, and compounds: ML-KEM, FIPS, eBPF."""
PROPER = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+\b")
"""Capitalised words in the middle of a sentence: Paris, Shannon."""

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["keep", "rewrite", "decompose", "disambiguate"]},
        "queries": {
            "type": "array",
            "items": {"type": "string", "maxLength": 160},
            "maxItems": MAX_QUERIES,
        },
    },
    "required": ["kind", "queries"],
    "additionalProperties": False,
}
"""What the planner model has to reply."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the planner model wrote, read but not yet judged."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    problem: str = ""
    """Why the reply could not be read; empty where it could."""


@dataclass(frozen=True, slots=True)
class QueryVerdict:
    """A proposed query and what the validators say of it."""

    query: str
    similarity: float
    """Cosine to the question."""
    top_similarity: float
    """Best dense similarity of what it finds."""
    blocked: str = ""
    """The reason; empty where it may be searched."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """The queries to search with, and why these. The first is always the question's own."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    reason: str = "nothing was refined yet"
    verdicts: tuple[QueryVerdict, ...] = ()


def keep(query: str, reason: str, verdicts: tuple[QueryVerdict, ...] = ()) -> Refinement:
    """Search with `query` as it is."""
    return Refinement("keep", (query,), reason, verdicts)


def names_and_numbers(text: str) -> frozenset[str]:
    """Return what a refined query must not lose: numbers, identifiers, names.

    >>> sorted(names_and_numbers("How large is the ML-KEM-768 key in FIPS 203?"))
    ['203', '768', 'fips', 'ml-kem-768']
    """
    found = NUMBER.findall(text) + NAME.findall(text) + PROPER.findall(text)
    return frozenset(word.lower() for word in found)


def read_proposal(question: str, reply: str) -> Proposal:
    """Read the planner model's JSON; a reply that cannot be read proposes nothing.

    Text around the object is passed over. Queries that repeat the question, are empty or too
    long are left out.

    >>> read_proposal("q", 'Sure: {"kind": "rewrite", "queries": ["key size in bytes"]}').queries
    ('key size in bytes',)
    >>> read_proposal("q", "no idea").problem
    'the reply is not the JSON that was asked for'
    """
    unreadable = Proposal(problem="the reply is not the JSON that was asked for")
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1])
    except json.JSONDecodeError:
        return unreadable
    kind = value.get("kind")
    written = value.get("queries") if kind != "keep" else []
    if kind not in ("keep", "rewrite", "decompose", "disambiguate"):
        return unreadable
    texts = [q.strip() for q in written if isinstance(q, str)] if isinstance(written, list) else []
    different = {_plain(q): q for q in reversed(texts) if len(q) <= MAX_QUERY_CHARS}
    new = [q for plain, q in reversed(different.items()) if plain not in ("", _plain(question))]
    queries = tuple(new)[:MAX_QUERIES]
    return Proposal(kind if queries else "keep", queries)


def _plain(query: str) -> str:
    """Return a query without what makes no difference: case, space, punctuation at its end."""
    return " ".join(query.lower().split()).rstrip(" ?.!")


def lost_words(question: str, proposal: Proposal) -> Mapping[str, frozenset[str]]:
    """Return, for each proposed query, the names and numbers it loses or makes up.

    A rewritten query has to keep all of them. The parts of a decomposed question have to keep
    them together, so each part is only charged with what no part has. None may bring in a
    number or identifier that the question does not have.
    """
    asked = names_and_numbers(question)
    together = " ".join(proposal.queries).lower()
    lost = {}
    for query in proposal.queries:
        held = together if proposal.kind == "decompose" else query.lower()
        gone = {word for word in asked if word not in held}
        made_up = {w for w in names_and_numbers(query) if w not in question.lower()}
        lost[query] = frozenset(gone | {w for w in made_up if any(c.isdigit() for c in w)})
    return lost


def judge(
    question: str,
    proposal: Proposal,
    measured: Sequence[tuple[float, float]],
    *,
    own_top: float,
    min_similarity: float,
    margin: float,
) -> Refinement:
    """Let those proposed queries through that ask the same and find no worse.

    `measured` holds, for each proposed query, its cosine to the question and the best dense
    similarity of what it finds; `own_top` is the question's own best. The parts of a
    decomposition are not held to `min_similarity`: a part is meant to be narrower.
    """
    lost = lost_words(question, proposal)
    verdicts = []
    for query, (similarity, top) in zip(proposal.queries, measured, strict=True):
        blocked = ""
        if lost[query]:
            blocked = "names or numbers differ: " + ", ".join(sorted(lost[query]))
        elif proposal.kind != "decompose" and similarity < min_similarity:
            blocked = f"asks something else: similarity {similarity:.2f} < {min_similarity:.2f}"
        elif top < own_top - margin:
            blocked = f"finds worse: {top:.2f} < {own_top:.2f} - {margin:.2f}"
        verdicts.append(QueryVerdict(query, similarity, top, blocked))
    passed = tuple(verdict.query for verdict in verdicts if not verdict.blocked)
    if not passed:
        return keep(question, "every proposed query was blocked", tuple(verdicts))
    reason = f"{len(passed)} of {len(verdicts)} proposed queries passed"
    return Refinement(proposal.kind, (question, *passed), reason, tuple(verdicts))
