"""What the planner model proposes instead of a question, read from its reply."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["keep", "rewrite", "decompose", "disambiguate", "translate"]
HOP = re.compile(r"(?<!\w)#(\d)(?!\w)")
"""A gap in a query for the answer to an earlier one."""
MAX_QUERY_CHARS = 300
TOO_MANY = 10
"""A reply with more queries than this was not planned but poured out; none of them is taken."""


def proposal_schema(most: int) -> Mapping[str, object]:
    """Return what the planner model has to reply, with at most so many queries."""
    return {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["keep", "rewrite", "decompose"]},
            "queries": {
                "type": "array",
                "items": {"type": "string", "maxLength": 160},
                "maxItems": most,
            },
        },
        "required": ["kind", "queries"],
        "additionalProperties": False,
    }


TRANSLATION_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string", "maxLength": MAX_QUERY_CHARS}},
    "required": ["query"],
    "additionalProperties": False,
}
"""What it has to reply when it translates."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the planner model wrote, read but not yet judged."""

    kind: Kind = "keep"
    queries: tuple[str, ...] = ()
    problem: str = ""
    """Why the reply is of no use; empty where it is, or where it keeps the question."""


UNREADABLE = Proposal(problem="the reply is not the JSON that was asked for")


def read_proposal(
    question: str, reply: str, *, most: int = 3, tried: tuple[str, ...] = ()
) -> Proposal:
    """Read the planner model's JSON; a reply that cannot be read proposes nothing.

    Text around the object is passed over. Queries that repeat the question or one that was
    `tried`, are empty or too long are left out; where none is left, that is the problem.

    >>> read_proposal("q", 'Sure: {"kind": "rewrite", "queries": ["key size in bytes"]}').queries
    ('key size in bytes',)
    >>> read_proposal("q", "no idea").problem
    'the reply is not the JSON that was asked for'
    >>> read_proposal("What is it?", '{"kind": "rewrite", "queries": ["what is it"]}').problem
    'the reply repeats what was asked before'
    """
    value = reply_object(reply)
    kind, written = value.get("kind"), value.get("queries")
    if kind == "keep":
        return Proposal()
    if kind not in ("rewrite", "decompose", "disambiguate"):
        return UNREADABLE
    texts = [q.strip() for q in written if isinstance(q, str)] if isinstance(written, list) else []
    if len(texts) > TOO_MANY:
        return Proposal(problem=f"the reply has {len(texts)} queries")
    known = {"", *(plain_query(query) for query in (question, *tried))}
    fitting = [text for text in texts if len(text) <= MAX_QUERY_CHARS]
    new = _renumbered(texts, [text for text in fitting if plain_query(text) not in known])
    if not new:
        repeated = any(map(plain_query, texts))
        why = "the reply repeats what was asked before" if repeated else "the reply has no query"
        return Proposal(problem=why)
    return Proposal(kind, new[:most])


def _renumbered(written: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the different queries of `chosen`, their gaps numbered as they now stand.

    One that waits for a query which was left out could only be filled with something else, so
    it is left out too.
    """
    kept: list[str] = []
    places: dict[str, int] = {}
    for text in chosen:
        asked = [written[int(n) - 1] for n in HOP.findall(text) if 0 < int(n) <= len(written)]
        numbered = len(asked) == len(HOP.findall(text))
        plain = plain_query(text)
        if plain in places or (numbered and not {*map(plain_query, asked)} <= places.keys()):
            continue
        kept.append(_with_places(text, [places[plain_query(q)] for q in asked] if numbered else ()))
        places[plain] = len(kept)
    return tuple(kept)


def _with_places(query: str, places: Sequence[int]) -> str:
    """Return `query` with its gaps numbered by `places`; as it is without any."""
    new = iter(places)
    return HOP.sub(lambda _: f"#{next(new)}", query) if places else query


def read_translation(question: str, reply: str) -> Proposal:
    """Read a translated query.

    >>> read_translation("Apa itu?", '{"query": "What is it?"}').queries
    ('What is it?',)
    """
    query = reply_object(reply).get("query")
    text = query.strip() if isinstance(query, str) else ""
    if not plain_query(text) or len(text) > MAX_QUERY_CHARS:
        return UNREADABLE
    if plain_query(text) == plain_query(question):
        return Proposal(problem="the reply repeats what was asked before")
    return Proposal("translate", (text,))


def without_hops(proposal: Proposal) -> Proposal:
    """Return `proposal` without queries that wait for the answer to another one.

    >>> without_hops(Proposal("decompose", ("Who founded Acme?", "Where was #1 born?"))).queries
    ('Who founded Acme?',)
    """
    ready = tuple(query for query in proposal.queries if not HOP.search(query))
    if ready or not proposal.queries:
        return replace(proposal, queries=ready)
    return Proposal(problem="the reply has no query")


def plain_query(query: str) -> str:
    """Return a query without what makes no difference: case, space, punctuation at its end.

    >>> plain_query("Key  size?")
    'key size'
    """
    return " ".join(query.lower().split()).rstrip(" ?.!\u3002\uff1f\uff01\u061f")


def reply_object(reply: str) -> Mapping[str, object]:
    """Return the JSON object in a model's reply, whatever stands around it; empty for none.

    >>> reply_object('Sure: {"query": "keys"}.'), reply_object("no idea")
    ({'query': 'keys'}, {})
    """
    try:
        value = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
